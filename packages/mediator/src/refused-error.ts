import type { Decision } from "hookwarden/broker";
import type { HookwardenError } from "hookwarden/errors";

/** How a step was refused: by which verdict, or by a failure of hookwarden. */
export type RefusedHow = "deny" | "skip" | "block" | "halt" | "ask" | "failure";

/**
 * Thrown where a step is refused and the framework has no other way to report it. The message is for the model: it
 * contains the text of hooks in a fence.
 */
export class HookRefusedError extends Error {
  override readonly name = "HookRefusedError";
  readonly how: RefusedHow;
  /** `null` if there was no decision. */
  readonly decision: Decision | null;

  constructor(how: RefusedHow, message: string, decision: Decision | null, cause?: HookwardenError) {
    super(message, cause === undefined ? undefined : { cause });
    this.how = how;
    this.decision = decision;
  }
}
