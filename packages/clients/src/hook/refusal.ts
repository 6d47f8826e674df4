import { type Answers, type ClientEvent, type ClientName, clients, type Json } from "../clients/index.ts";
import { type Answer, failClosedAnswer, mustFailClosed } from "./fail-closed-answer.ts";
import type { Outcome } from "./wire.ts";

/** The event of a client's table that a message is; `undefined` for a message of no known event. */
export function eventOf(client: ClientName, message: unknown): ClientEvent | undefined {
  const name =
    typeof message === "object" && message !== null ? (message as Json)["hook_event_name"] : undefined;
  const { events } = clients[client];
  return typeof name === "string" && Object.hasOwn(events, name) ? events[name] : undefined;
}

/**
 * The answer that refuses an event without a decision. It needs nothing but the client's table, because the hook program
 * must be able to give it when nothing else of hookwarden can be loaded.
 *
 * @param halts whether the agent's turn ends as well.
 */
export function refusalAnswer(client: ClientName, message: unknown, sentence: string, halts = false): Answer {
  if (client === "claude-code") return failClosedAnswer(message, sentence, halts);
  const answers: Answers = eventOf(client, message)?.answers ?? {};
  const fields = (message ?? {}) as Json;
  const ways = halts
    ? [answers.halt, answers.stop, answers.notice]
    : [answers.stop, answers.halt, answers.notice];
  return ways.find((way) => way !== undefined)?.(sentence, fields) ?? {};
}

/**
 * The outcome of a failure of ours. A client that reads answers only from a hook that ended with 0 gets one; a message
 * that is not understood has no answer, and ends with 2.
 */
export function refusal(client: ClientName, message: unknown, sentence: string): Outcome {
  const out = JSON.stringify(refusalAnswer(client, message, sentence));
  if (client === "claude-code") return { exit: mustFailClosed(message) ? 2 : 0, out, err: sentence };
  return { exit: eventOf(client, message) ? 0 : 2, out, err: sentence };
}
