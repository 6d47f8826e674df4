import { HookwardenError } from "hookwarden/errors";
import { type AddedMessage, isPart } from "@hookwarden/mediator";
import type { Content, Prompt, PromptMessage } from "./types.ts";

/** Parameters of a request that hooks may read and set: not headers, tools or provider options. */
export const settableParams = [
  "maxOutputTokens",
  "temperature",
  "stopSequences",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "reasoning",
] as const;

export function userMessage(text: string): PromptMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

/** Added messages in the AI SDK's form. */
export function toPrompt(added: readonly AddedMessage[]): PromptMessage[] {
  return added.map(({ role, text }) => (role === "system" ? { role, content: text } : userMessage(text)));
}

/** Splits the system messages at the start off a prompt. */
export function splitSystem(prompt: readonly PromptMessage[]): {
  readonly system: Prompt;
  readonly rest: Prompt;
} {
  const first = prompt.findIndex(({ role }) => role !== "system");
  const count = first === -1 ? prompt.length : first;
  return { system: prompt.slice(0, count), rest: prompt.slice(count) };
}

export function systemText(system: Prompt): string | undefined {
  return system.length === 0 ? undefined : system.map(({ content }) => content as string).join("\n\n");
}

/** The text that a person wrote in a message; `null` for other messages. */
export function promptText(message: PromptMessage): string | null {
  if (message.role !== "user") return null;
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? null : texts.join("\n");
}

/** A user message with a different text and the same files. */
export function withText(message: PromptMessage, text: string): PromptMessage {
  if (message.role !== "user") return message;
  return {
    ...message,
    content: [{ type: "text", text }, ...message.content.filter(({ type }) => type !== "text")],
  };
}

/** Validates messages that a hook wrote; a plain text becomes a text part. */
export function checkedMessages(messages: readonly unknown[]): Prompt {
  return messages.map((message) => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    if (role === "system" && typeof content === "string") return message as PromptMessage;
    if ((role === "user" || role === "assistant") && typeof content === "string") {
      return { ...(message as object), role, content: [{ type: "text", text: content }] } as PromptMessage;
    }
    const listed = (role === "user" || role === "assistant" || role === "tool") && Array.isArray(content);
    if (listed && (content as unknown[]).every(isPart)) return message as PromptMessage;
    throw new HookwardenError("event-invalid", "a hook wrote an invalid message");
  });
}

/** The text of an answer. */
export function contentText(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** The answer as a message for another request; calls are left out, since they have no results. */
export function answerMessage(content: readonly Content[]): PromptMessage[] {
  const text = contentText(content);
  return text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text }] }];
}

/**
 * Validates the content with which a hook replaced an answer: a text, or `{ content }` with a text or parts. Texts and
 * tool calls may be new; any other part must be one of the original answer.
 */
export function checkedContent(message: unknown, original: readonly Content[]): Content[] {
  const content = typeof message === "string" ? message : (message as { content?: unknown }).content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) throw badAnswer();
  const known = new Set(original.map((part) => JSON.stringify(part)));
  return content.map((part: unknown) => {
    if (!isPart(part)) throw badAnswer();
    const { type, text, toolCallId, toolName, input } = part as { readonly [field: string]: unknown };
    if (type === "text" && typeof text === "string") return { type, text };
    if (known.has(JSON.stringify(part))) return part as Content;
    if (type === "reasoning" && typeof text === "string") return { type, text };
    if (type === "tool-call" && typeof toolCallId === "string" && typeof toolName === "string") {
      // Drops `providerExecuted`: a hook must not mark a call as already executed by the provider.
      if (typeof input === "string") return { type, toolCallId, toolName, input };
    }
    throw badAnswer();
  });
}

function badAnswer(): HookwardenError {
  return new HookwardenError("event-invalid", "a hook wrote an invalid answer");
}
