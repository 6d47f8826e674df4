import { circumstantialFaults } from "@hookwarden/sandbox";
import { canonicalJson } from "hookwarden/files";
import type { Input } from "../run/input.ts";
import { mapConcurrently, type Run, type Runner, type InstrumentedRun } from "../run/runner.ts";

/** The runs that are not made by exploration, each with what its watching instrumented saw. */
export interface Baseline {
  readonly runs: readonly BaselineRun[];
  /** Runs whose instrumented answered otherwise. */
  readonly divergent: readonly BaselineRun[];
  /** Calls whose record was lost. */
  readonly lost: number;
}

export interface BaselineRun extends Run {
  /** `null` where the record was lost, or the call was a fault of a limit. */
  readonly instrumented: InstrumentedRun | null;
}

/** Faults after which there is nothing more to see, and the instrumented would only burn the same again. */
const limits: ReadonlySet<string> = new Set([
  "steps-exceeded",
  "memory-exceeded",
  "load-failed",
  "input-too-large",
  ...circumstantialFaults,
]);
/** Steps that the runs of one hook may take together before the rest is only sampled. */
const stepBudget = 150_000_000;

/**
 * Runs a hook on all inputs, alone: recorded events of a session one after another, with the state that the hook keeps,
 * the others each by itself.
 */
export async function runBaseline(
  runner: Runner,
  inputs: readonly Input[],
  onCall: () => void,
): Promise<Baseline> {
  const chains = chainsOf(inputs, runner.hook.state?.scope ?? null);
  let steps = 0;
  let skipped = 0;
  const results = await mapConcurrently(
    chains,
    async (chain) => {
      const runs: BaselineRun[] = [];
      let state: string | null = null;
      for (const input of chain) {
        if (runner.signal.aborted) break;
        onCall();
        if (steps > stepBudget && skipped++ % 8 !== 0) continue;
        const run = await runner.run(chain.length > 1 && state !== null ? { ...input, state } : input);
        if (!run) continue;
        steps += run.outcome.steps ?? 0;
        if (run.answer.ok && run.answer.state !== null) state = run.answer.state;
        const stopped = !run.outcome.ok && limits.has(run.outcome.fault.code);
        runs.push({ ...run, instrumented: stopped ? null : await runner.runInstrumented(run.input, false) });
      }
      return runs;
    },
    runner.signal,
  );
  const runs = results.flat().filter((run) => run !== undefined);
  const instrumentedRuns = runs.filter(({ instrumented }) => instrumented !== null);
  return {
    runs,
    divergent: instrumentedRuns.filter(
      (run) => run.instrumented?.watched && !sameAnswer(run, run.instrumented),
    ),
    lost: instrumentedRuns.filter(({ instrumented }) => !instrumented?.watched).length,
  };
}

/** Whether two runs answered the same: a thrown error is one whatever it says. */
export function sameAnswer(a: Run, b: Run): boolean {
  if (a.outcome.ok !== b.outcome.ok) return false;
  if (a.output === b.output) return true;
  if (a.output === null || b.output === null) return isNothing(a.output) && isNothing(b.output);
  try {
    return canonicalJson(JSON.parse(a.output)) === canonicalJson(JSON.parse(b.output));
  } catch {
    return false;
  }
}

function isNothing(output: string | null): boolean {
  return output === null || output === "null";
}

function chainsOf(
  inputs: readonly Input[],
  scope: "session" | "tenant" | null,
): readonly (readonly Input[])[] {
  const chains = new Map<string, Input[]>();
  for (const [index, input] of inputs.entries()) {
    const key =
      scope === null || input.origin !== "recorded"
        ? `${index}`
        : scope === "tenant"
          ? "all"
          : `session ${input.event.session_id}`;
    const chain = chains.get(key);
    if (chain) chain.push(input);
    else chains.set(key, [input]);
  }
  return [...chains.values()];
}
