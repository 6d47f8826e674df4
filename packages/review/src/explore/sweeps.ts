import { catalogueFields, eventRows } from "hookwarden/catalogue";
import { withValue } from "@hookwarden/testing/mutate";
import { effectWords, opens } from "../run/effect.ts";
import { coversPath } from "../hook/read-tree.ts";
import { type Input, validEvent } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { touches } from "../run/touched.ts";
import type { AnswerChange } from "./answer-change.ts";
import { isAside, type Slot, touchedSlots } from "./slots.ts";
import { made, type Variant } from "./variant.ts";
import { shapes } from "./vary-shape.ts";
import { sidesThatOpen, sizes } from "./vary-size.ts";
import { otherTypes } from "./vary-type.ts";

/** What variations are made of. */
export interface SweepWords {
  /** Words of the code: literals, and texts that its patterns match. */
  readonly words: readonly string[];
  /** Names of properties that the code asks objects for. */
  readonly properties: readonly string[];
  /** Whole numbers of the code. */
  readonly numbers: readonly number[];
}

const max = {
  bases: 2,
  perSlot: 90,
  properties: 24,
  turns: 8,
} as const;

/** Names of tenants as they are in the wild: short and long, with regions, plans and numbers. */
export const tenantNames: readonly string[] = [
  "acme",
  "acme-eu",
  "acme-us-2",
  "northwind",
  "north-sea-power",
  "contoso-vip",
  "globex",
  "initech-dev",
  "umbrella-prod",
  "lab-7",
  "zz-archive",
  "t-104",
  "tenant_42",
  "4711",
  "0b9f6c1e-6a1d-4a86-9d6e-2f4f2c7c1b55",
  "a",
  "BigCorp",
];
const sessionIds: readonly string[] = [
  "5f0c2a9e-1b7d-4c3e-9a2f-8d6b1e4c7f3a",
  "01JQ8ZK3M5N7P9R1T3V5X7Z9B1",
  "sess_9Xk2mQ7f",
  "wk-204",
  "ops-771",
  "a1b2c3d4e5f60718",
  "20260115-103000",
  "s",
];
const folders: readonly string[] = [
  "/home/dev/projects/shop",
  "/Users/mia/code/api",
  "/srv/app",
  "/tmp",
  "/root",
  "/workspace/.cache/ci-17",
  "/builds/group/project/a/b/c/d/e/f",
  "C:\\work\\app",
  "/",
];

/** What models write where a field takes any text. */
const remarks: readonly string[] = [
  "Run the build",
  "Routine cleanup, as agreed",
  "aaaa bbbb cccc",
  "URGENT",
  "1",
  `As asked: ${"a step of the plan. ".repeat(20)}`,
];

/** Varies events that a hook holds in everything that says nothing about the action, and reports what turned the answer. */
export async function sweep(
  runner: Runner,
  held: readonly Run[],
  words: SweepWords,
): Promise<readonly AnswerChange[]> {
  const turns: AnswerChange[] = [];
  for (const [at, base] of held.slice(0, max.bases).entries()) {
    const variants = [
      // One event shows what is asked of exact sizes.
      ...sizes(runner, base).filter((_, size) => at === 0 || size % 8 === 0),
      ...names(runner, base, words),
      ...missingFields(runner, base, words),
      ...(await otherTypes(runner, base)),
      ...shapes(base, words.words),
    ];
    const runs = await mapConcurrently(variants, ({ input }) => runner.run(input), runner.signal);
    const changed = runs.flatMap((after, index): AnswerChange[] => {
      const { slot, from, to, word, grade } = variants[index] as Variant;
      if (!after || effectWords(after.effect) === effectWords(base.effect)) return [];
      const opened = opens(base.effect, after.effect);
      const why = { ...(word && { word }), ...(grade && { grade }) };
      return [{ slot, from, to, before: base, after, opens: opened, harmless: true, ...why }];
    });
    const padded = variants.filter(({ word }) => word === "size").length;
    const opened = changed.filter((one) => one.word === "size" && one.opens).length;
    // Where any padding opens, the hook looks at the end of a text, which is no matter of size.
    const relevant = opened > padded * 0.9 ? changed.filter(({ word }) => word !== "size") : changed;
    const byKind = Map.groupBy(relevant, ({ slot, word }) => `${slot.kind} ${slot.path} ${word ?? ""}`);
    turns.push(...(await sidesThatOpen(runner, base, words.numbers)));
    for (const own of byKind.values())
      turns.push(...own.toSorted((a, b) => Number(b.opens) - Number(a.opens)).slice(0, max.turns));
  }
  return turns;
}

/** Other tenants, sessions and folders: such as there are, and those that the code speaks of. */
function names(runner: Runner, base: Run, { words, properties }: SweepWords): readonly Variant[] {
  return touchedSlots(runner, base).flatMap((slot) => {
    const values =
      slot.kind === "tenant"
        ? [...tenantNames, ...words.flatMap((word) => [word, `${word}x`, `x${word}`])]
        : slot.kind === "id"
          ? [...sessionIds, ...words.flatMap((word) => [word, `a1${word}`, `${word}9f`])]
          : slot.path === "cwd"
            ? [
                ...folders,
                ...beneath(base),
                ...words.flatMap((word) => [word, `/home/${word}`, `/srv/${word}/x`]),
              ]
            : slot.path === "tool_name"
              ? [...words, ...properties]
                  .filter((word) => /^[A-Z]\w+$|__/.test(word))
                  .flatMap((word) => [word, `${word}__x7`])
              : slot.kind === "inert" && typeof slot.value === "string"
                ? [...words, ...remarks]
                : [];
    return values.slice(0, max.perSlot * 3).flatMap((to) => variantOf(base, slot, to) ?? []);
  });
}

/** Folders far below the one that an absolute path of the event is in: it is outside of them all the same. */
function beneath({ input }: Run): readonly string[] {
  const paths = JSON.stringify(input.event).match(/(?<=["\s=])\/[\w.-]+(?=\/[\w.-]+["\s])/g) ?? [];
  return [...new Set(paths)]
    .slice(0, 3)
    .flatMap((folder) => [1, 4, 7, 12].map((depth) => `${folder}${"/src".repeat(depth)}`));
}

function variantOf(base: Run, slot: Slot, to: string): Variant | null {
  const input = slot.set(to);
  return input && { slot, from: String(slot.value), to, input: made(input, base, `another ${slot.path}`) };
}

/** Fields that the event does not have: optional ones of the catalogue, and parameters that the code asks for. */
function missingFields(
  runner: Runner,
  base: Run,
  { words, properties, numbers }: SweepWords,
): readonly Variant[] {
  const { event } = base.input;
  const reads = runner.seen;
  const paths: string[][] = [];
  const known = new Set(catalogueFields(event.hook_event_name));
  // Clients add fields of their own, which only the manifest names.
  const declared = reads.map((path) => path.split(".")[0] ?? "").filter((name) => /^[a-z]\w+$/i.test(name));
  for (const field of new Set([...known, "cwd", ...declared]))
    if (
      event[field] === undefined &&
      field !== "facts" &&
      (isAside(field) || field === "agent_type" || !known.has(field)) &&
      coversPath(reads, [field], event.hook_event_name)
    )
      paths.push([field]);
  const input = event["tool_input"];
  const own = parameters[String(event["tool_name"])];
  if (typeof input === "object" && input !== null)
    for (const name of [...properties, "description", "timeout", "run_in_background"])
      if (
        !(name in input) &&
        !knownNames.test(name) &&
        !own?.includes(name) &&
        coversPath(reads, ["tool_input", name], event.hook_event_name)
      )
        paths.push(["tool_input", name]);
  const values = [true, false, 0, 1, "", "x", ...remarks, ...numbers.slice(0, 10), ...words.slice(0, 16)];
  const asked = paths.filter((path) => touches(base, path.join(".")));
  return asked.slice(0, max.properties).flatMap((path) =>
    values.flatMap((value) => {
      const changed = validEvent(withValue(event, path, value));
      const slot = { kind: "inert" as const, path: path.join(".") };
      return changed
        ? [
            {
              slot,
              from: "(absent)",
              to: String(value),
              input: made({ ...base.input, event: changed }, base, `with ${slot.path}`),
              // A tool that is not known may do less with a parameter more.
              ...(path.length > 1 && !own && !isAside(path.at(-1) ?? "") && { grade: "exempt" as const }),
            },
          ]
        : [];
    }),
  );
}

/** What decides about the action of tools that are known; every other parameter is beside it. */
const parameters: { readonly [tool: string]: readonly string[] } = {
  Bash: ["command"],
  Write: ["file_path", "content"],
  Edit: ["file_path", "old_string", "new_string", "replace_all"],
  Read: ["file_path", "offset", "limit"],
  WebFetch: ["url", "prompt"],
};

/** Names that are methods or parts of answers rather than parameters. */
const knownNames =
  /^(?:length|test|exec|includes|startsWith|endsWith|action|reason|text|input|tool_input|tool_name|command|split|match|replace|map|filter|some|every|find|join|slice|trim|push|state|value|config|tenant|time|stack|message|toString|index|groups)$/;

/** Parameters that a list of parts can take the place of. */
const texts = /^(?:content|text|(?:old|new)_\w+)$/;

/** Events of a hook's own kinds with every parameter that the code names: what exploration starts from, too. */
export function enriched(
  input: Input,
  { properties }: SweepWords,
  reads: readonly string[],
): readonly Input[] {
  const row = eventRows.get(input.event.hook_event_name);
  if (!row || typeof input.event["tool_input"] !== "object") return [];
  const names = properties.filter(
    (name) => !knownNames.test(name) && coversPath(reads, ["tool_input", name], input.event.hook_event_name),
  );
  const listed = [Object.fromEntries(names.map((name) => [name, "x"]))];
  return ["x", 1, true, listed].flatMap((value) => {
    const more = Object.fromEntries(
      [...names, "description", "timeout", "run_in_background"].slice(0, 40).map((name) => [name, value]),
    );
    // A list is in place of the texts.
    const known = Object.entries(input.event["tool_input"] as object).filter(
      ([name]) => value !== listed || !texts.test(name),
    );
    const event = validEvent({
      ...input.event,
      cwd: "/home/dev/projects/shop",
      agent_id: "agent-7",
      tool_use_id: "toolu_01A9",
      tool_input: { ...more, ...Object.fromEntries(known) },
    });
    return event
      ? [{ ...input, origin: "made" as const, label: `${input.label}; with every parameter`, event }]
      : [];
  });
}
