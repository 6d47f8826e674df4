import { HookwardenError } from "hookwarden/errors";
import type { AddedMessage } from "@hookwarden/mediator";
import type { Content, Prompt, PromptMessage } from "./types.ts";

/** Parameters of a request that hooks may read and set. Headers, tools and provider options are not among them. */
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

/** Added messages as the package has them. */
export function toPrompt(added: readonly AddedMessage[]): PromptMessage[] {
  return added.map(({ role, text }) => (role === "system" ? { role, content: text } : userMessage(text)));
}

/** The system messages at the head of a prompt, and the rest. */
export function splitSystem(prompt: Prompt): { readonly system: Prompt; readonly rest: Prompt } {
  const first = prompt.findIndex(({ role }) => role !== "system");
  const count = first === -1 ? prompt.length : first;
  return { system: prompt.slice(0, count), rest: prompt.slice(count) };
}

export function systemText(system: Prompt): string | undefined {
  return system.length === 0 ? undefined : system.map(({ content }) => content as string).join("\n\n");
}

/** What a person wrote in a message. */
export function promptText(message: PromptMessage): string | null {
  if (message.role !== "user") return null;
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? null : texts.join("\n");
}

/** A user message with another text, and with the files that it had. */
export function withText(message: PromptMessage, text: string): PromptMessage {
  if (message.role !== "user") return message;
  return {
    ...message,
    content: [{ type: "text", text }, ...message.content.filter(({ type }) => type !== "text")],
  };
}

/** Messages that a hook wrote, held to the form of a prompt; a plain text becomes the text part that it means. */
export function checkedMessages(messages: readonly unknown[]): Prompt {
  return messages.map((message) => {
    const { role, content } = (message ?? {}) as { role?: unknown; content?: unknown };
    if (role === "system" && typeof content === "string") return message as PromptMessage;
    if ((role === "user" || role === "assistant") && typeof content === "string") {
      return { ...(message as object), role, content: [{ type: "text", text: content }] } as PromptMessage;
    }
    const listed = (role === "user" || role === "assistant" || role === "tool") && Array.isArray(content);
    if (listed && (content as unknown[]).every(isPart)) return message as PromptMessage;
    throw new HookwardenError("event-invalid", "a hook wrote a message that is none of this package");
  });
}

function isPart(part: unknown): boolean {
  return typeof part === "object" && part !== null && typeof (part as { type?: unknown }).type === "string";
}

/** The text of an answer. */
export function contentText(content: readonly Content[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/** What was answered, as a message for another request; calls are left out, since they have no results. */
export function answerMessage(content: readonly Content[]): PromptMessage[] {
  const text = contentText(content);
  return text === "" ? [] : [{ role: "assistant", content: [{ type: "text", text }] }];
}

/**
 * The content that a hook gave an answer: a text, or `{ content }` with a text or parts. Texts and tool calls may be
 * new; anything else must be a part of the answer as it was.
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
      // Nobody may pass a call off as one that the provider has made already.
      if (typeof input === "string") return { type, toolCallId, toolName, input };
    }
    throw badAnswer();
  });
}

function badAnswer(): HookwardenError {
  return new HookwardenError("event-invalid", "a hook wrote an answer that is none of this package");
}
