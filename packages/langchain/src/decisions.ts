import { isDeepStrictEqual } from "node:util";
import { beforeTool, jsonView, type Mediator, refusedError, type ToolRuns } from "@hookwarden/mediator";

/** A call that hooks did not refuse, until it has run. */
export interface PassedCall {
  readonly mediator: Mediator;
  readonly toolCallId: string;
  /** The arguments that hooks decided on: the only ones with which the tool may run. */
  readonly args: unknown;
  /** The arguments that the model asked for. */
  readonly original: unknown;
  readonly before: ToolRuns;
  /** Set after PostToolUse or PostToolUseFailure has decided on the outcome. */
  mediated: boolean;
}

/** The message in place of a result. Thrown inside the tool, so that nothing else runs. */
export class WithheldOutput extends Error {
  override readonly name = "WithheldOutput";
}

/** Whether two values are equal as hooks see them. */
export function sameForHooks(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(jsonView(one).value, jsonView(other).value);
}

/** Has hooks decide again if another middleware changed the arguments since their decision. */
export async function checkArguments(toolName: string, input: unknown, call: PassedCall): Promise<void> {
  const { args } = (input ?? {}) as { args?: unknown };
  if (sameForHooks(args, call.args)) return;
  const again = await beforeTool(call.mediator, { name: toolName, input: args, id: call.toolCallId });
  if (again.kind === "refused") throw new WithheldOutput(again.text, { cause: refusedError(again) });
  if (again.kind === "ask" || again.changed) {
    throw new WithheldOutput(
      "hookwarden: the tool call was refused, because its arguments were changed after hooks had decided on it.",
    );
  }
}

/** Whether a thrown value is a control signal of the graph, such as an interrupt, and not a failure. */
export function isControl(thrown: unknown): boolean {
  return (
    typeof thrown === "object" &&
    thrown !== null &&
    (thrown as { is_bubble_up?: unknown }).is_bubble_up === true
  );
}
