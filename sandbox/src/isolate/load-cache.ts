import type { Inspection, Outcome } from "../contract.ts";
import type { Fault } from "../fault.ts";
import { failed } from "../outcome.ts";
import { SlowLoads } from "../slow-loads.ts";
import type { Stop } from "./instance.ts";
import { loadKey } from "./isolate-pool.ts";
import { type Handlers, type Load, loadFault, type LoadFailure } from "./load-result.ts";

/** The outcomes of loads, by program and limits: a load that failed by its own doing is not tried again. */
export class LoadCache {
  readonly #known = new Map<string, Inspection>();
  readonly #slowLoads = new SlowLoads();

  find({ program, limits }: Load): Inspection | undefined {
    return this.#known.get(loadKey(program.key, limits));
  }

  /** The outcome of a call whose program is known not to load; `null` if it may be called. */
  outcomeOf(load: Load, started: number): Outcome | null {
    const known = this.find(load);
    if (known?.ok === false) return failed(known.fault, null, started, 0);
    const slow = this.#slowLoads.recall(load);
    return slow && { ...failed(slow, null, started, 0), loadTimedOut: true };
  }

  remember(
    load: Load,
    result: { readonly kind: "loaded"; readonly handlers: Handlers } | LoadFailure | Stop,
  ): void {
    // A timeout may not recur, so only deterministic failures are cached.
    if (result.kind === "stopped" && result.by === "wall") this.#slowLoads.remember(load);
    else if (result.kind !== "stopped" || result.by === "memory") {
      const inspection: Inspection =
        result.kind === "loaded"
          ? { ok: true, handlers: result.handlers }
          : { ok: false, fault: loadFault(result, load) };
      this.#known.set(loadKey(load.program.key, load.limits), inspection);
    }
  }

  forget(programKey: string): void {
    for (const key of this.#known.keys()) if (key.endsWith(`\n${programKey}`)) this.#known.delete(key);
    this.#slowLoads.forget(programKey);
  }

  clear(): void {
    this.#known.clear();
  }
}

/** The outcome of a call whose program did not load. */
export function loadOutcome(result: LoadFailure | Stop, load: Load, started: number): Outcome {
  const fault: Fault = loadFault(result, load);
  const outcome = failed(fault, null, started, 0);
  return fault.code === "timeout" ? { ...outcome, loadTimedOut: true } : outcome;
}
