import type { Turn } from "../fair-queue.ts";
import type { Lane } from "../lanes.ts";
import { Problem } from "../problem.ts";
import { type Account, enforce } from "./enforce.ts";
import type { Use } from "./uses.ts";

/** A tenant, as far as it takes turns. */
export interface TurnTaker extends Account {
  readonly sandbox: { readonly lane: Lane };
  turnIn(lane: Lane["name"]): Turn;
}

/** A place among what runs; to be left once. */
export interface HeldTurn {
  /** @param costUs what was used, in microseconds. */
  leave(costUs: number): void;
}

/**
 * Waits for the tenant's turn to run something, within its limits.
 *
 * @param gone whether the asker has disconnected meanwhile: then it never begins.
 * @returns at once where there is room.
 * @throws {Problem} what `enforce` refuses; `queue-full`, `shutting-down`
 */
export function takeTurn(use: Use, tenant: TurnTaker, gone?: () => boolean): HeldTurn | Promise<HeldTurn> {
  enforce(use, "run", tenant);
  const { lane } = tenant.sandbox;
  const turn = tenant.turnIn(lane.name);
  const entered = lane.queue.enter(turn, gone);
  if (entered === null) throw new Problem("queue-full", 1);
  const held: HeldTurn = { leave: (costUs) => lane.queue.leave(turn, costUs) };
  return entered === true ? held : afterWaiting(use, tenant, entered, held);
}

async function afterWaiting(
  use: Use,
  tenant: TurnTaker,
  entered: Promise<boolean>,
  held: HeldTurn,
): Promise<HeldTurn> {
  if (!(await entered)) throw new Problem("shutting-down", 1);
  try {
    // What happened meanwhile counts as well: the tenant has used its time, or was switched off.
    enforce(use, "resume", tenant);
    return held;
  } catch (error) {
    held.leave(0);
    throw error;
  }
}
