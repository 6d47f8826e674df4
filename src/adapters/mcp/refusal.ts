import type { AttributedText, Decision } from "../../broker/decision.ts";
import { fence } from "../../broker/fence.ts";
import {
  type JsonObject,
  type RequestId,
  type RawMessage,
  errorMessage,
  resultMessage,
  rpcCodes,
} from "./message.ts";

/** What a model reads where a tool did not run, or its result is kept back. */

/** The reason of a decision, fenced, behind a sentence of the proxy. */
export function refusalOf(sentence: string, { reason, feedback, decided_by }: Decision): string {
  const parts = [reason, feedback].filter((text): text is string => typeof text === "string" && text !== "");
  if (parts.length === 0) return sentence;
  return `${sentence}\n${fenced(parts.map((text) => ({ hook: decided_by ?? "", trust: "third-party", text })))}`;
}

export function fenced(parts: readonly AttributedText[]): string {
  return fence(parts).text;
}

/** A result that tells a model that its call failed. */
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
