import { type Sandbox, limitCeilings } from "@hookwarden/sandbox";
import type { Determinism } from "../report.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import { type Baseline, sameAnswer } from "./baseline.ts";

const max = { repeated: 40, engines: 40 } as const;

/** What was different, beside how often. */
export interface Differences {
  readonly determinism: Determinism;
  readonly repeated: readonly Run[];
  readonly engines: readonly { readonly here: Run; readonly there: Run }[];
}

export interface DeterminismOptions {
  readonly baseline: Baseline;
  /** A sandbox of the other engine; `null` where there is none. */
  readonly other: Sandbox | null;
}

/** Repeats calls: immediately, in another order, and on the other engine. */
export async function checkDeterminism(
  runner: Runner,
  { baseline: { runs, divergent }, other }: DeterminismOptions,
): Promise<Differences> {
  const watched = runs.filter(({ instrumented }) => instrumented?.watched).length;
  const every = Math.max(1, Math.floor(runs.length / max.repeated));
  const some = runs.filter(({ outcome }, index) => outcome.ok && index % every === 0).slice(0, max.repeated);
  const repeated: Run[] = [];
  for (const run of some) {
    const again = await runner.run(run.input);
    if (again && !sameAnswer(run, again)) repeated.push(again);
  }
  const backwards = some.toReversed();
  const shuffled = await mapConcurrently(backwards, (run) => runner.run(run.input), runner.signal);
  const moved = shuffled.filter((again, index) => again && !sameAnswer(backwards[index] as Run, again));
  const engines: { here: Run; there: Run }[] = [];
  let compared = 0;
  if (other) {
    const steady = some.slice(0, max.engines);
    // What takes its time on one engine may not on the other: limits are no answer.
    const there = await mapConcurrently(
      steady,
      (run) => runner.run(run.input, other, limitCeilings),
      runner.signal,
    );
    for (const [index, run] of there.entries()) {
      if (!run) continue;
      compared++;
      const here = steady[index] as Run;
      if (!sameAnswer(here, run)) engines.push({ here, there: run });
    }
  }
  return {
    determinism: {
      repeated: { checked: some.length, different: repeated.length },
      shuffled: { checked: shuffled.length, different: moved.length },
      engines: other ? { checked: compared, different: engines.length } : null,
      watched: { checked: watched, different: divergent.length },
    },
    repeated: [...repeated, ...moved.flatMap((run) => run ?? [])],
    engines,
  };
}
