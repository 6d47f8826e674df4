import { corpusInputs } from "../inputs/corpus.ts";
import { sampleInputs } from "../inputs/samples.ts";
import { draft } from "../draft.ts";
import { acts, effectWords } from "../run/effect.ts";
import type { Run } from "../run/runner.ts";
import { type Baseline, type BaselineRun, runBaseline } from "./baseline.ts";
import type { ReviewContext } from "./context.ts";

/** Events of a hook's own cases that are run. */
const maxCases = { small: 90, large: 40 } as const;
/** Events of the built-in corpus that are run. */
const maxCorpus = { small: 700, large: 120 } as const;
/** Most events that exploration starts from. */
const maxSeeds = 22;

/** What a hook did with recorded events, its own cases, samples and the built-in corpus. */
export interface Observation {
  readonly base: Baseline;
  /** Where exploration starts. */
  readonly seeds: readonly BaselineRun[];
  /** How many of the inputs were made by the review. */
  readonly generated: number;
}

export async function observe(context: ReviewContext): Promise<Observation> {
  const { runner, subject, parts, size } = context;
  const samples = [...sampleInputs(subject.hook), ...spread(corpusInputs(subject.hook), maxCorpus[size])];
  const inputs = [...parts.recorded, ...spread(subject.cases, maxCases[size]), ...samples].filter(
    (input) => runner.bindingFor(input) !== null,
  );
  let done = 0;
  const base = await runBaseline(runner, inputs, () =>
    parts.progress(`${++done} of ${inputs.length} events`),
  );
  for (const run of base.runs) context.note(run.instrumented);
  if (base.runs.length > 0 && base.runs.every((run) => run.fault === "load-failed")) {
    const [first] = base.runs;
    const why = first?.answer.ok === false ? first.answer.fault.message : "";
    context.drafts.push(draft("load-fails", `every call ends in load-failed: ${why}`));
  }
  return { base, seeds: seedsOf(base.runs), generated: samples.length };
}

/** Some of a list, from all over it. */
function spread<T>(list: readonly T[], count: number): readonly T[] {
  return list.length <= count
    ? list
    : Array.from({ length: count }, (_, at) => list[Math.floor((at * list.length) / count)] as T);
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

/** Events that the hook acts on, one of each kind first, and those that it acts on without state. */
export function heldOf(runs: readonly Run[]): readonly Run[] {
  const acting = runs
    .filter(({ effect, answer }) => answer.ok && acts(effect))
    .toSorted((a, b) => hasState(a) - hasState(b) || a.args[0].length - b.args[0].length);
  const kinds = Map.groupBy(acting, (run) => `${run.event} ${effectWords(run.effect)}`);
  const held: Run[] = [];
  for (let at = 0; at < 3; at++) for (const own of kinds.values()) held.push(...own.slice(at, at + 1));
  return held;
}

function hasState({ input }: Run): number {
  return Number(input.state !== null);
}
