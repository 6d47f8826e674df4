import type { Decision } from "hookwarden/broker";
import type { HookwardenError } from "hookwarden/errors";

/** How a step was refused: by which verdict, or by a failure of ours. */
export type RefusedHow = "deny" | "skip" | "block" | "halt" | "ask" | "failure";

/**
 * Thrown where a step is refused and the framework has no gentler form for it. The message is meant for the model: what
 * hooks said in it stands in a fence.
 */
export class HookRefusedError extends Error {
  override readonly name = "HookRefusedError";
  readonly how: RefusedHow;
  /** `null` where no decision could be made. */
  readonly decision: Decision | null;

  constructor(how: RefusedHow, message: string, decision: Decision | null, cause?: HookwardenError) {
    super(message, cause === undefined ? undefined : { cause });
    this.how = how;
    this.decision = decision;
  }
}
