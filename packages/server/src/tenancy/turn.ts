import { Problem } from "../problem.ts";
import type { TenantSandbox } from "../tenant-sandbox.ts";
import { type Account, enforce } from "./enforce.ts";
import type { Use } from "./uses.ts";

/** A tenant, as far as it takes turns. */
export interface TurnTaker extends Account {
  /** Chooses where the next item runs. */
  chooseSandbox(): TenantSandbox;
}

/** Permission to run something; to be left once. */
export interface Turn {
  /** Where it has to run: the lane is chosen here, once. */
  readonly sandbox: TenantSandbox;
  /** @param costUs what was used, in microseconds. */
  leave(costUs: number): void;
}

/**
 * Waits for the tenant's turn to run something, within its limits.
 *
 * @param gone whether the caller has disconnected meanwhile: then it never starts.
 * @returns at once where there is room.
 * @throws {Problem} what `enforce` refuses; `queue-full`, `shutting-down`
 */
export function takeTurn(use: Use, tenant: TurnTaker, gone?: () => boolean): Turn | Promise<Turn> {
  enforce(use, "run", tenant);
  const sandbox = tenant.chooseSandbox();
  const { flow, lane } = sandbox;
  const entered = lane.limiter.enter(flow, gone);
  if (entered === null) throw new Problem("queue-full", 1);
  const turn: Turn = { sandbox, leave: (costUs) => lane.limiter.leave(flow, costUs) };
  return entered === true ? turn : afterWaiting(use, tenant, entered, turn);
}

async function afterWaiting(
  use: Use,
  tenant: TurnTaker,
  entered: Promise<boolean>,
  turn: Turn,
): Promise<Turn> {
  if (!(await entered)) throw new Problem("shutting-down", 1);
  try {
    // What happened meanwhile counts as well: the tenant has used its time, or was switched off.
    enforce(use, "resume", tenant);
    return turn;
  } catch (error) {
    turn.leave(0);
    throw error;
  }
}
