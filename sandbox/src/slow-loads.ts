import type { Call, Program } from "./contract.ts";
import { ExpiringMap } from "./expiring-map.ts";
import type { Fault } from "./fault.ts";
import { loadLimits, loadMs } from "./limits.ts";
import { faults } from "./outcome.ts";

/** Maximum number of remembered programs. */
const maxEntries = 1_024;
/** A call with this many times the budget of the failed load retries it. */
const retryFactor = 2;

type Load = Pick<Call, "program" | "tenant" | "limits" | "budgetMs">;

/**
 * Negative cache of programs that timed out while loading: a module that never finishes loading would cost every
 * call its whole budget. Kept for each tenant separately, so that no tenant's time budget decides
 * about another tenant's call.
 */
export class SlowLoads {
  readonly #failed = new ExpiringMap<Load>(loadLimits.retryMs, maxEntries);

  /** The fault of a call whose program is not to be loaded again yet, or `null`. */
  recall(load: Load): Fault | null {
    if (this.#failed.size === 0) return null;
    const key = keyOf(load);
    const failed = this.#failed.get(key);
    if (!failed || loadMs(load) >= retryFactor * loadMs(failed)) return null;
    const { code, message } = faults.loadWall(failed);
    return { code, message: `${message}; it is not loaded again for ${this.#failed.remainingMs(key)} ms` };
  }

  remember({ program, tenant, limits, budgetMs }: Load): void {
    // Do not retain the whole call: its event may take megabytes.
    this.#failed.set(keyOf({ program, tenant }), {
      program,
      tenant,
      limits,
      ...(budgetMs === undefined ? undefined : { budgetMs }),
    });
  }

  forget(programKey: string): void {
    this.#failed.deleteWhere((key) => key.endsWith(`\n${programKey}`));
  }
}

function keyOf({ tenant, program }: { tenant: string; program: Program }): string {
  return `${tenant}\n${program.key}`;
}
