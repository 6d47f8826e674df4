import { type AttributedText, type Decision, fence } from "hookwarden/broker";
import { refusalText } from "@hookwarden/mediator";
import {
  type JsonObject,
  type RequestId,
  type RawMessage,
  errorMessage,
  resultMessage,
  rpcCodes,
} from "./message.ts";

/** What a model reads where a tool did not run, or its result is kept back. */

/** What did not happen, and the reason of the decision in a fence. `what` is a sentence without its full stop. */
export function refusalOf(what: string, decision: Decision): string {
  return refusalText(what, decision);
}

/** The same where no hook has a part in it. */
export function refusal(what: string): string {
  return `hookwarden: ${what}.`;
}

export function fenced(parts: readonly AttributedText[]): string {
  return fence(parts).text;
}

/** A result that says to a model that its call failed. */
export function failedResult(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * The answer to a call that is refused: a result, for the model to read. Where the call asked for a task, an error:
 * its caller expects a task, and would take no other result.
 */
export function refusedCall(id: RequestId, asksForTask: boolean, text: string): RawMessage {
  return asksForTask
    ? errorMessage(id, { code: rpcCodes.refused, message: text })
    : resultMessage(id, failedResult(text));
}
