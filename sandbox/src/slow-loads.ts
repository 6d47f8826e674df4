import type { Call } from "./contract.ts";
import type { Fault } from "./fault.ts";
import { loadLimits, loadMs } from "./limits.ts";
import { faults } from "./outcome.ts";
import { CircuitBreaker } from "./resilience/circuit-breaker.ts";

/** A call with this many times the budget of the failed load retries it. */
const retryFactor = 2;

type Load = Pick<Call, "program" | "tenant" | "limits" | "budgetMs">;

/**
 * Programs that timed out while loading: a module that never finishes loading would cost every call its whole budget.
 * Kept for each tenant separately, so that no tenant's time budget decides about another tenant's call.
 */
export class SlowLoads {
  readonly #breaker = new CircuitBreaker<Omit<Load, "program">>({
    failures: 1,
    openMs: loadLimits.retryMs,
    maxCircuits: 1_024,
    now: () => performance.now(),
  });

  /** The fault of a call whose program is not to be loaded again yet, or `null`. */
  recall(load: Load): Fault | null {
    if (this.#breaker.size === 0) return null;
    const key = keyOf(load);
    const failed = this.#breaker.get(key)?.cause;
    const waitMs = this.#breaker.remainingMs(key);
    if (!failed || waitMs === 0 || loadMs(load) >= retryFactor * loadMs(failed)) return null;
    const { code, message } = faults.loadWall(failed);
    return { code, message: `${message}; it is not loaded again for ${waitMs} ms` };
  }

  remember(load: Load): void {
    const { tenant, limits, budgetMs } = load;
    const key = keyOf(load);
    // It had more time than the load that failed before.
    this.#breaker.reset(key);
    // Do not retain the whole call: its event may take megabytes.
    this.#breaker.failure(key, { tenant, limits, ...(budgetMs === undefined ? undefined : { budgetMs }) });
  }

  forget(programKey: string): void {
    this.#breaker.resetWhere((key) => key.endsWith(`\n${programKey}`));
  }
}

function keyOf({ tenant, program }: Pick<Load, "tenant" | "program">): string {
  return `${tenant}\n${program.key}`;
}
