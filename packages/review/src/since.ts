import type { Sandbox } from "@hookwarden/sandbox";
import { type DiffEvent, diffEvent, diffPacks } from "@hookwarden/testing/diff";
import { eventRows } from "hookwarden/catalogue";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { draft, type Draft } from "./draft.ts";
import type { SinceLastTime } from "./report.ts";
import { corpusInputs } from "./inputs/corpus.ts";
import { sampleInputs } from "./inputs/samples.ts";
import { newTextInputs } from "./inputs/new-texts.ts";
import { patternInputs } from "./inputs/patterns.ts";
import { changedLines } from "./program/source-diff.ts";
import type { Input } from "./run/input.ts";
import { guestText, guestJson } from "./guest-text.ts";

/** Events near the recorded ones that are decided by both versions. */
const near = 400;
const maxGroups = 60;

export interface ComparisonOptions {
  readonly packs: { readonly old: LoadedPack; readonly new: LoadedPack };
  readonly recorded: readonly Input[];
  readonly cases: ReadonlyMap<string, readonly Input[]>;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Compares the behaviour of the reviewed version with the previous one. */
export async function sinceLastTime({
  packs,
  recorded,
  cases,
  sandbox,
  signal,
  progress,
}: ComparisonOptions): Promise<{
  readonly since: SinceLastTime;
  readonly drafts: readonly (Draft & { readonly hook: string | null })[];
}> {
  const event = (input: Input, index: number, origin: DiffEvent["origin"]): DiffEvent =>
    diffEvent(input.event, origin, input.label, `review-${origin}-${index}`);
  const diff = await diffPacks({
    packs,
    events: [...recorded, ...ordinary(packs, cases)].map((input, index) => event(input, index, "recorded")),
    cases: new Map(
      [...cases].map(([hook, own]) => [hook, own.map((input, index) => event(input, index, "case"))]),
    ),
    explore: near,
    sandbox,
    signal,
    progress: (done, total, what) =>
      progress(`comparing with the previous version: ${done} of ${total}, ${what}`),
  });
  return { since: sectionOf(packs, diff), drafts: loosened(diff) };
}

type Differences = Awaited<ReturnType<typeof diffPacks>>;

function sectionOf(packs: ComparisonOptions["packs"], diff: Differences): SinceLastTime {
  return {
    old: { name: diff.old.name, version: diff.old.version, pack: diff.old.digest },
    hooks: diff.hooks,
    powers: diff.powers.map(({ hook, power, what, opens }) => ({ hook, power, what, opens })),
    groups: diff.groups
      .slice(0, maxGroups)
      .map(({ hook, event: name, kind, change, opens, count, example }) => ({
        hook,
        event: name,
        kind,
        change,
        opens,
        count,
        example: {
          event: guestJson(example.event.fields),
          old: guestJson(example.old),
          new: guestJson(example.new),
        },
      })),
    sources: sourcesOf(packs),
    loosenings: diff.loosenings.length,
    explored: diff.explored,
  };
}

function loosened({ loosenings }: Differences): readonly (Draft & { readonly hook: string | null })[] {
  return [...Map.groupBy(loosenings, ({ hook }) => hook)].map(([hook, own]) => ({
    ...draft(
      "opened-since",
      `${own.length} ${own.length === 1 ? "loosening" : "loosenings"} since the previous version: actions that it stopped, or powers that it did not have`,
      own.slice(0, 4).map(({ what, event: one }) => ({
        label: what.slice(0, 120),
        text: one ? guestJson(one.fields, 300) : guestText("a power in the manifest or the pack"),
      })),
    ),
    hook,
  }));
}

/** Most events of the built-in corpus that both versions decide. */
const maxOrdinary = 1_200;

/** Ordinary events of the hooks that changed, texts that the patterns of either version match, and new texts. */
function ordinary(
  { old, new: now }: ComparisonOptions["packs"],
  cases: ComparisonOptions["cases"],
): readonly Input[] {
  const before = new Map(old.hooks.map((hook) => [hook.name, hook]));
  const changed = now.hooks.filter(
    (hook) => before.has(hook.name) && before.get(hook.name)?.digest !== hook.digest,
  );
  const found = changed.flatMap((hook) => {
    const samples = sampleInputs(hook).filter((input) => isHeard(hook, input));
    const previous = before.get(hook.name) ?? hook;
    const versions = [hook, previous];
    const texts = patternInputs(
      samples,
      versions.map(({ program }) => program.source),
      versions.flatMap(({ reads }) => reads),
    );
    const update = newTextInputs(
      cases.get(hook.name) ?? [],
      { old: previous.program.source, now: hook.program.source },
      hook.reads,
    );
    return [...update, ...texts, ...samples, ...corpusInputs(hook).filter((input) => isHeard(hook, input))];
  });
  return found.slice(0, maxOrdinary);
}

/** Whether a hook's matchers take an event. */
function isHeard({ on }: LoadedHook, { event }: Input): boolean {
  const field = eventRows.get(event.hook_event_name)?.matches;
  const name = field === undefined ? undefined : event[field];
  return on.some(
    ({ event: own, matcher }) =>
      own === event.hook_event_name && (matcher === null || (typeof name === "string" && matcher.test(name))),
  );
}

/** What changed in the programs, as lines. */
function sourcesOf({ old, new: now }: ComparisonOptions["packs"]): SinceLastTime["sources"] {
  return now.hooks.flatMap((hook) => {
    const before = old.hooks.find(({ name }) => name === hook.name);
    if (!before || before.program.source === hook.program.source) return [];
    const lines = changedLines(before.program.source, hook.program.source);
    return [{ hook: hook.name, lines: guestText(lines.join("\n"), 12_000) }];
  });
}
