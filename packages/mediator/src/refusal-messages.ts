import {
  type AttributedText,
  type Decision,
  type InjectedMessage,
  fence,
  sanitizeText,
} from "hookwarden/broker";
import type { HookwardenError } from "hookwarden/errors";

/** The message to the model about a refused step: a sentence of hookwarden, and the hook's reason in a fence. */
export function refusalText(
  what: string,
  decision: Pick<Decision, "decided_by" | "reason" | "feedback">,
): string {
  const text = decision.reason ?? decision.feedback;
  if (text === null) return `hookwarden: ${what}.`;
  return `hookwarden: ${what}.\n${fence([attributed(decision.decided_by, text)]).text}`;
}

/** The message about a step that was refused after a failure of hookwarden. Only the code: causes may name paths and secrets. */
export function failureText(what: string, error: HookwardenError): string {
  return `hookwarden: ${what}, because there was no decision (${error.code}).`;
}

/** The feedback with which the model repeats its step. */
export function feedbackText(decision: Pick<Decision, "decided_by" | "reason" | "feedback">): string {
  const text = decision.feedback ?? decision.reason ?? "";
  return `hookwarden: a hook asks you to repeat this step.\n${fence([attributed(decision.decided_by, text)]).text}`;
}

/** Texts that hooks added to a step, in a fence; `null` for none. */
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
  const text = fencedOrNull(context);
  return text === null ? added : [...added, { role: "user", text, durable: false }];
}

/** An untrusted name, quoted for use in a sentence to the model. */
export function quoted(name: string): string {
  const plain = sanitizeText(name).replaceAll(/[\n\t]/g, " ");
  return JSON.stringify(plain.length > 80 ? `${plain.slice(0, 80)}…` : plain);
}

function attributed(hook: string | null, text: string): AttributedText {
  return { hook: hook ?? "hookwarden", trust: "third-party", text };
}

/** The refusal of a call whose rewritten input does not match the tool's schema. */
export const invalidRewrite =
  "hookwarden: the tool call was refused and did not run, because a hook rewrote its input to one that does not match the tool's schema.";

/** The refusal of a call that a person would have approved with an input other than the one that runs. */
export const rewrittenBeforeApproval =
  "hookwarden: the tool call was refused and did not run, because a hook rewrote its input and a person would have been asked to approve a different one.";

/** The answer to a call that needs the approval of a person, where no hook gave a reason. */
export const approvalRequired = "hookwarden: a person must approve this tool call first.";

/** The message in place of an answer in which the provider ran a tool, under `strict`. */
export function unmediatedCallText(toolName: string): string {
  return `hookwarden: the answer is withheld, because the provider ran tool ${quoted(toolName)} itself, where no hook can decide on it.`;
}
