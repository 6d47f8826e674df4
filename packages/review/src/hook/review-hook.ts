import type { Sandbox } from "@hookwarden/sandbox";
import { sha256 } from "hookwarden/files";
import type { CompiledModule } from "hookwarden/compile";
import type { LoadedHook, LoadedPack } from "hookwarden/pack";
import { type Draft, draft } from "../draft.ts";
import { type Dependence, explore, type AnswerChange } from "../explore/explore.ts";
import { addWords } from "../explore/harmless-words.ts";
import { varyContext } from "../explore/vary-context.ts";
import { hashFindings, hiddenTextFindings } from "../findings/computed.ts";
import {
  attackFindings,
  codeFindings,
  costFindings,
  determinismFindings,
  powerFindings,
  readFindings,
} from "../findings/plain.ts";
import { leakFindings, textFindings } from "../findings/texts.ts";
import { dependenceFindings, turnFindings } from "../findings/triggers.ts";
import { sampleInputs } from "../inputs/samples.ts";
import { findConstructs } from "../program/constructs.ts";
import { originsOf } from "../program/modules.ts";
import { ProgramText } from "../program/text.ts";
import { coverageOf, uncoveredBranches } from "../program/uncovered.ts";
import { ownWords, propertyNames } from "../program/words.ts";
import type { AttackProbe, CodeSection, HookReview, ReadsSection } from "../report.ts";
import { acts, effectWords } from "../run/effect.ts";
import type { Input } from "../run/input.ts";
import { type Run, Runner, type InstrumentedRun } from "../run/runner.ts";
import { guestText } from "../guest-text.ts";
import type { Comparison } from "../instrumented/recording.ts";
import { probeAttacks } from "./attack.ts";
import { type BaselineRun, runBaseline } from "./baseline.ts";
import { behaviourOf, textsFor } from "./behaviour.ts";
import { findConfigSwitches } from "./config-switch.ts";
import { measureCost } from "./cost.ts";
import { checkDeterminism } from "./determinism.ts";
import { checkInterference } from "./interference.ts";
import { findLeaks } from "./leaks.ts";
import { powersOf } from "./powers.ts";
import { ReadTree } from "./read-tree.ts";

/** What a hook is reviewed with. */
export interface HookSubject {
  readonly hook: LoadedHook;
  readonly pack: LoadedPack;
  readonly modules: readonly CompiledModule[];
  /** Source map of the program; `null` where there is none. */
  readonly map: string | null;
  readonly cases: readonly Input[];
}

export interface HookParts {
  readonly recorded: readonly Input[];
  readonly sandbox: Sandbox;
  /** A sandbox of the other engine; `null` where there is none. */
  readonly other: Sandbox | null;
  readonly signal: AbortSignal;
  readonly progress: (what: string) => void;
}

export interface ReviewedHook {
  readonly review: Omit<HookReview, "counts">;
  readonly drafts: readonly Draft[];
  readonly generated: number;
  readonly calls: number;
}

/** Most events that exploration starts from. */
const maxSeeds = 22;
const sourceShown = 262_144;
/** Events of a hook's own cases that are run. */
const maxCases = { small: 90, large: 40 } as const;
/** A program with more branches than this has a library in it: each call that is watched costs several times as much. */
const largeProgram = 1_500;
/** Runs of exploration. */
const explorations = { small: 220, large: 130 } as const;

/** Reviews one hook, by itself. Runs it only in the sandboxes. */
export async function reviewHook(subject: HookSubject, parts: HookParts): Promise<ReviewedHook> {
  const { hook, pack } = subject;
  const { sandbox, signal, progress } = parts;
  const runner = new Runner(pack, hook, sandbox);
  const text = new ProgramText(hook.program.source, subject.map);
  const drafts: Draft[] = [];
  const size = runner.light.branches.length > largeProgram ? "large" : "small";
  const samples = sampleInputs(hook);
  const inputs = [...parts.recorded, ...spread(subject.cases, maxCases[size]), ...samples].filter(
    (input) => runner.bindingFor(input) !== null,
  );
  let done = 0;
  const base = await runBaseline(runner, inputs, signal, () =>
    progress(`${++done} of ${inputs.length} events`),
  );
  const tree = new ReadTree();
  const noteReads = (run: InstrumentedRun | null): void => {
    if (run?.watched) tree.add(run.event, run.watched);
  };
  for (const run of base.runs) noteReads(run.instrumented);
  const failing = base.runs.length > 0 && base.runs.every((run) => run.fault === "load-failed");
  if (failing)
    drafts.push(
      draft(
        "load-fails",
        `every call ends in load-failed: ${base.runs[0]?.answer.ok === false ? base.runs[0].answer.fault.message : ""}`,
      ),
    );

  progress("exploring");
  const seeds = seedsOf(base.runs);
  const isOwn = ({ site, branch }: Comparison): boolean =>
    text.isOwn(site > 0 ? (runner.full.sites[site]?.start ?? 0) : (runner.full.branches[branch]?.start ?? 0));
  const explored = await explore(
    runner,
    seeds.map(({ input }) => input),
    isOwn,
    signal,
    explorations[size],
  );
  for (const run of explored.runs) noteReads(run);
  const made = explored.runs.filter(({ input }) => input.origin === "made");

  progress("adding words");
  const held = heldOf([...base.runs, ...made]);
  const constants = comparedConstants(explored.runs);
  const words = [...new Set([...constants, ...ownWords(text), ...configWords(hook)])];
  const turns: AnswerChange[] = [...explored.turns, ...(await addWords(runner, held, words, signal))];
  const contextReads = {
    time: tree.readsContext("(clock)") || tree.readsContext("time") || tree.readsField("time"),
    chance: tree.readsContext("(chance)"),
    state: hook.state !== null,
  };
  const contexts = held.length > 0 ? held : base.runs.slice(0, 3);
  turns.push(...(await varyContext(runner, contexts, parts.recorded.slice(0, 300), contextReads, signal)));
  drafts.push(...turnFindings(turns), ...dependenceFindings(explored.dependences, runner.full, text));
  drafts.push(...hashFindings(explored.runs, runner.full, text));
  const afters = turns.map(({ after }) => after);
  const all: readonly Run[] = [...base.runs, ...made, ...afters];
  drafts.push(...hiddenTextFindings(explored.runs, emittedOf(all), runner.full, text));
  const switches = await findConfigSwitches(
    runner,
    tree.readsContext("config") ? propertyNames(text) : [],
    seeds.slice(0, 12).map(({ input }) => input),
  );
  for (const one of switches.slice(0, 1)) {
    drafts.push(
      one.constant === null
        ? draft(
            "trigger-config",
            `reads \`${one.path}\` from its configuration, which its schema does not document`,
          )
        : draft(
            "trigger-config",
            "compares its configuration with a value that its schema does not document",
            [{ label: "value", text: guestText(one.constant) }],
          ),
    );
  }

  progress("looking for leaked data");
  const leaks = await findLeaks(
    runner,
    leakBases(all),
    [...Map.groupBy(base.runs, (run) => run.event).values()].flatMap((own) => own.slice(0, 2)),
  );
  drafts.push(...leakFindings(leaks), ...textFindings(all));
  const before = new Set(
    base.runs.filter(({ input }) => input.origin !== "made").map(({ effect }) => effect.verdict),
  );
  const allowed = made.find(({ effect }) => effect.verdict === "allow");
  if (allowed && !before.has("allow"))
    drafts.push(
      draft("allow-opens", "returns `allow` at an event that only exploration generated", [
        { label: allowed.input.label, text: guestText(allowed.args[0], 500) },
      ]),
    );

  progress("changing unread fields");
  const interference = await checkInterference(runner, base.runs);
  progress("repeating calls");
  const differences = await checkDeterminism(runner, { baseline: base, other: parts.other, signal });
  drafts.push(...determinismFindings(differences, base.divergent));
  progress("hostile events");
  const others = base.runs.filter(({ effect, answer }) => answer.ok && !acts(effect));
  const probes = await probeAttacks(runner, held, others, signal);
  drafts.push(...attackFindings(probes));
  progress("measuring");
  const costs = await measureCost(runner, pack, base.runs, sandbox, signal);
  drafts.push(...costFindings(costs, all, hook.limits.steps));

  const reads: ReadsSection = {
    declared: hook.reads,
    paths: tree.paths(),
    context: tree.context(),
    smallest: tree.smallest(hook.reads, [...new Set(hook.on.map(({ event }) => event))]),
    unused: hook.reads.filter((path) => path !== "*" && tree.calls > 0 && !tree.touches(path)),
    recorded: tree.calls,
    lost: base.lost,
    interference,
  };
  const powers = powersOf(hook, pack, all, tree);
  const code = codeOf(
    subject,
    text,
    runner,
    [...base.runs.flatMap(({ instrumented }) => instrumented ?? []), ...explored.runs],
    explored.dependences,
  );
  drafts.push(...readFindings(reads, tree, interference), ...powerFindings(powers), ...codeFindings(code));
  return {
    review: {
      name: hook.name,
      version: hook.version,
      description: hook.manifest.description === undefined ? null : guestText(hook.manifest.description),
      digest: hook.digest,
      program: sha256(hook.program.source),
      priority: hook.priority,
      mode: hook.mode,
      powers,
      reads,
      behaviour: behaviourOf(all, differences.determinism, leaks, turns, hook.state !== null),
      cost: { events: costs },
      attack: { probes: probes.map(probeOf) },
      code,
    },
    drafts: merged(drafts),
    generated: samples.length + made.length + turns.length,
    calls: runner.calls,
  };
}

/** A probe without its runs, which are no JSON. */
function probeOf({ name, event, tried, faults, opened, smuggled, note }: AttackProbe): AttackProbe {
  return { name, event, tried, faults, opened, smuggled, note };
}

/** Some of a list, from all over it. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  return list.length <= count
    ? list
    : Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)] as T);
}

/** One finding of each code, the worst and then the first. */
function merged(drafts: readonly Draft[]): readonly Draft[] {
  const rank = ["high", "medium", "low", "info"];
  return [...Map.groupBy(drafts, ({ code }) => code).values()].map((own) => {
    const best = own.toSorted((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity))[0] as Draft;
    const more = own
      .filter((one) => one !== best && one.message !== best.message)
      .map(({ message }) => ({ label: "also", text: guestText(message, 300) }));
    return {
      ...best,
      evidence: [...best.evidence, ...more.slice(0, 4)],
      place: best.place ?? own.find(({ place }) => place)?.place ?? null,
    };
  });
}

/** Where exploration starts: of everything that the hook did the smallest events, then those that covered most. */
function seedsOf(runs: readonly BaselineRun[]): readonly BaselineRun[] {
  const good = runs
    .filter(({ outcome }) => outcome.ok)
    .toSorted((a, b) => a.args[0].length - b.args[0].length);
  const kinds = Map.groupBy(
    good.filter(({ effect }) => acts(effect)),
    (run) => `${run.event} ${effectWords(run.effect)} ${String(run.input.event["tool_name"] ?? "")}`,
  );
  const chosen = new Set<BaselineRun>();
  for (let at = 0; at < 3; at++)
    for (const own of kinds.values())
      for (const run of own.slice(at, at + 1)) if (chosen.size < maxSeeds / 2) chosen.add(run);
  const covered = new Set([...chosen].flatMap((run) => run.instrumented?.watched?.cover ?? []));
  const events = new Set([...chosen].map(({ event }) => event));
  for (const run of good) {
    if (chosen.size >= maxSeeds) break;
    const cover = run.instrumented?.watched?.cover ?? [];
    if (events.has(run.event) && cover.every((branch) => covered.has(branch))) continue;
    events.add(run.event);
    chosen.add(run);
    for (const branch of cover) covered.add(branch);
  }
  for (const run of good) if (chosen.size < 6) chosen.add(run);
  return [...chosen];
}

/** Events that the hook acts on, one of each kind first. */
function heldOf(runs: readonly Run[]): readonly Run[] {
  const acting = runs
    .filter(({ effect, answer }) => answer.ok && acts(effect))
    .toSorted((a, b) => a.args[0].length - b.args[0].length);
  const kinds = Map.groupBy(acting, (run) => `${run.event} ${effectWords(run.effect)}`);
  const held: Run[] = [];
  for (let at = 0; at < 3; at++) for (const own of kinds.values()) held.push(...own.slice(at, at + 1));
  return held;
}

function leakBases(runs: readonly Run[]): readonly Run[] {
  const speaking = runs.filter(
    ({ answer }) =>
      answer.ok && answer.actions.length > 0 && answer.actions.some(({ action }) => action !== "continue"),
  );
  const kinds = Map.groupBy(
    speaking,
    (run) =>
      `${run.event} ${run.answer.ok ? run.answer.actions.map(({ action }) => action).join() : ""} ${String(run.input.event["tool_name"] ?? "")}`,
  );
  return [...kinds.values()].map((own) =>
    own.reduce((a, b) => (b.args[0].length < a.args[0].length ? b : a)),
  );
}

/** Texts that stand on one side of comparisons and came with no event. */
function comparedConstants(runs: readonly InstrumentedRun[]): readonly string[] {
  const found = new Set<string>();
  for (const { watched, args } of runs)
    for (const { op, a, b } of watched?.pairs ?? [])
      for (const operand of op === "key" ? [] : [b, a])
        if (
          typeof operand === "string" &&
          operand.length >= 3 &&
          operand.length < 80 &&
          !args[0].includes(operand)
        )
          found.add(operand);
  return [...found].slice(0, 60);
}

function configWords(hook: LoadedHook): readonly string[] {
  return (hook.configJson.match(/"(?:[^"\\]|\\.){3,60}"/g) ?? [])
    .slice(0, 8)
    .map((text) => JSON.parse(text) as string);
}

function emittedOf(
  runs: readonly Run[],
): readonly { readonly text: string; readonly args: readonly string[] }[] {
  return runs.flatMap((run) => textsFor(run).map(({ text }) => ({ text, args: run.args })));
}

function codeOf(
  { modules }: HookSubject,
  text: ProgramText,
  runner: Runner,
  watched: readonly InstrumentedRun[],
  dependences: readonly Dependence[],
): CodeSection {
  const { branches } = runner.full;
  const covered = new Set(watched.flatMap((run) => run.watched?.cover ?? []));
  const depends = new Map<number, Set<string>>();
  for (const { slot, pairs } of dependences)
    for (const { after } of pairs) {
      const own = depends.get(after.branch) ?? new Set<string>();
      depends.set(after.branch, own.add(slot.path));
    }
  return {
    uncovered: uncoveredBranches(text, branches, covered, depends),
    coverage: coverageOf(text, branches, covered),
    constructs: findConstructs(text),
    modules: originsOf(modules, text),
    bytes: Buffer.byteLength(text.source),
    source: guestText(text.source, sourceShown),
  };
}
