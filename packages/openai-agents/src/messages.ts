import type { AgentInputItem } from "@openai/agents";
import { HookwardenError } from "hookwarden/errors";

/** The text that a person wrote in an item; `null` for other items. */
export function promptText(item: AgentInputItem): string | null {
  const { role, content } = item as { role?: unknown; content?: unknown };
  if (role !== "user") return null;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.flatMap((part: { type?: unknown; text?: unknown }) =>
    part.type === "input_text" && typeof part.text === "string" ? [part.text] : [],
  );
  return texts.length === 0 ? null : texts.join("\n");
}

/** The same item with a different text and the same files. */
export function withText(item: AgentInputItem, text: string): AgentInputItem {
  const { content } = item as { content: string | { type: string }[] };
  const files = typeof content === "string" ? [] : content.filter(({ type }) => type !== "input_text");
  const next = files.length === 0 ? text : [{ type: "input_text", text }, ...files];
  return { ...item, content: next } as AgentInputItem;
}

/** A message of the user. */
export function userItem(text: string): AgentInputItem {
  return { role: "user", content: text };
}

/** Validates the items that a hook returned for a request. */
export function checkedInput(items: readonly unknown[]): AgentInputItem[] {
  return items.map((item) => {
    const { role, type } = (item ?? {}) as { role?: unknown; type?: unknown };
    if (typeof role === "string" || typeof type === "string") return item as AgentInputItem;
    throw new HookwardenError("event-invalid", "a hook wrote an invalid message");
  });
}
