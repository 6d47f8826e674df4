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
  /** Where it has to run: the lane that the tenant is in when its turn comes. */
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
  const place = enter(tenant, gone);
  return place.entered === true ? place.turn : afterWaiting(use, tenant, { gone, place });
}

/** A place in the queue of a lane. */
interface Place {
  /** `true`: its turn is now. Otherwise whether it will come. */
  readonly entered: true | Promise<boolean>;
  readonly turn: Turn;
  /** Gives the turn up without having used it. */
  cancel(): void;
}

function enter(tenant: TurnTaker, gone: (() => boolean) | undefined): Place {
  const sandbox = tenant.chooseSandbox();
  const { flow, lane } = sandbox;
  const entered = lane.limiter.enter(flow, gone);
  if (entered === null) throw new Problem("queue-full", 1);
  const turn: Turn = { sandbox, leave: (costUs) => lane.limiter.leave(flow, costUs) };
  return { entered, turn, cancel: () => lane.limiter.cancel(flow) };
}

async function afterWaiting(
  use: Use,
  tenant: TurnTaker,
  { gone, place }: { readonly gone: (() => boolean) | undefined; readonly place: Place },
): Promise<Turn> {
  if (place.entered !== true && !(await place.entered)) throw new Problem("shutting-down", 1);
  try {
    // What happened meanwhile counts as well: the tenant has used its time, or was switched off.
    enforce(use, "resume", tenant);
  } catch (error) {
    place.cancel();
    throw error;
  }
  if (tenant.chooseSandbox() === place.turn.sandbox) return place.turn;
  // The tenant was moved to the other lane while this waited: what it sent before must not hold up the others.
  place.cancel();
  return afterWaiting(use, tenant, { gone, place: enter(tenant, gone) });
}
