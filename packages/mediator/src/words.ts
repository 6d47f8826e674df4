import {
  type AttributedText,
  type Decision,
  type InjectedMessage,
  fence,
  sanitizeText,
} from "hookwarden/broker";
import type { HookwardenError } from "hookwarden/errors";

/** What a step that did not happen is told to the model: a sentence of ours, and the hook's reason in a fence. */
export function refusalText(
  what: string,
  decision: Pick<Decision, "decided_by" | "reason" | "feedback">,
): string {
  const text = decision.reason ?? decision.feedback;
  if (text === null) return `hookwarden: ${what}.`;
  return `hookwarden: ${what}.\n${fence([attributed(decision.decided_by, text)]).text}`;
}

/** What a step that was refused for a failure of ours is told. Only the code: causes may name paths and secrets. */
export function failureText(what: string, error: HookwardenError): string {
  return `hookwarden: ${what}, because no decision could be made (${error.code}).`;
}

/** Feedback with which the model does its step again. */
export function feedbackText(decision: Pick<Decision, "decided_by" | "reason" | "feedback">): string {
  const text = decision.feedback ?? decision.reason ?? "";
  return `hookwarden: a hook asks for this step to be done again.\n${fence([attributed(decision.decided_by, text)]).text}`;
}

/** Texts of hooks beside a step, in a fence; `null` for none. */
export function fencedOrNull(parts: readonly AttributedText[]): string | null {
  return parts.length === 0 ? null : fence(parts).text;
}

/** A message that hooks added to the conversation, with its text in a fence. */
export interface AddedMessage {
  readonly role: InjectedMessage["role"];
  readonly text: string;
  readonly durable: boolean;
}

/** Injected messages and context, as messages for the conversation, in order. */
export function addedMessages({ messages, context }: Decision["additions"]): AddedMessage[] {
  const added = messages.map((message) => ({
    role: message.role,
    text: fence([message]).text,
    durable: message.durable,
  }));
  const beside = fencedOrNull(context);
  return beside === null ? added : [...added, { role: "user", text: beside, durable: false }];
}

/** A name from outside, safe to stand in a sentence for the model. */
export function quoted(name: string): string {
  const plain = sanitizeText(name).replaceAll(/[\n\t]/g, " ");
  return JSON.stringify(plain.length > 80 ? `${plain.slice(0, 80)}…` : plain);
}

function attributed(hook: string | null, text: string): AttributedText {
  return { hook: hook ?? "hookwarden", trust: "third-party", text };
}
