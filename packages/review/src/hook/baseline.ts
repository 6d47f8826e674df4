import { circumstantialFaults } from "@hookwarden/sandbox";
import { canonicalJson } from "hookwarden/files";
import type { Input } from "../run/input.ts";
import { each, type Run, type Runner, type WatchedRun } from "../run/runner.ts";

/** The runs that are not made by exploration, each with what its watching twin saw. */
export interface Baseline {
  readonly runs: readonly BaseRun[];
  /** Runs whose twin answered otherwise. */
  readonly watchedDiffers: readonly BaseRun[];
  /** Calls whose record was lost. */
  readonly lost: number;
}

export interface BaseRun extends Run {
  /** `null` where the record was lost, or the call was a fault of a limit. */
  readonly twin: WatchedRun | null;
}

/** Faults after which there is nothing more to see, and the twin would only burn the same again. */
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
  signal: AbortSignal,
  told: () => void,
): Promise<Baseline> {
  const chains = chainsOf(inputs, runner.hook.state?.scope ?? null);
  let steps = 0;
  let skipped = 0;
  const results = await each(
    chains,
    async (chain) => {
      const runs: BaseRun[] = [];
      let state: string | null = null;
      for (const input of chain) {
        if (signal.aborted) break;
        told();
        if (steps > stepBudget && skipped++ % 8 !== 0) continue;
        const run = await runner.run(chain.length > 1 && state !== null ? { ...input, state } : input);
        if (!run) continue;
        steps += run.outcome.steps ?? 0;
        if (run.answer.ok && run.answer.state !== null) state = run.answer.state;
        const stopped = !run.outcome.ok && limits.has(run.outcome.fault.code);
        runs.push({ ...run, twin: stopped ? null : await runner.watch(run.input, false) });
      }
      return runs;
    },
    signal,
  );
  const runs = results.flat().filter((run) => run !== undefined);
  const twins = runs.filter(({ twin }) => twin !== null);
  return {
    runs,
    watchedDiffers: twins.filter((run) => run.twin?.watched && !sameAnswer(run, run.twin)),
    lost: twins.filter(({ twin }) => !twin?.watched).length,
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
