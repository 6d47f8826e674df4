import type { AgentInputItem, AgentOutputItem } from "@openai/agents";
import { HookwardenError } from "hookwarden/errors";

/** Text of an item that a person wrote; `null` for other items. */
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

/** The same item with another text, and with the files that it had. */
export function withText(item: AgentInputItem, text: string): AgentInputItem {
  const { content } = item as { content: string | { type: string }[] };
  const files = typeof content === "string" ? [] : content.filter(({ type }) => type !== "input_text");
  const next = files.length === 0 ? text : [{ type: "input_text", text }, ...files];
  return { ...item, content: next } as AgentInputItem;
}

export function userItem(text: string): AgentInputItem {
  return { role: "user", content: text };
}

export function answerItem(text: string): AgentOutputItem {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  };
}

/** What an answer says. */
export function outputText(output: readonly AgentOutputItem[]): string {
  return output
    .flatMap((item) => {
      const { content } = item as { content?: unknown };
      return isMessage(item) && Array.isArray(content)
        ? content.flatMap((part: { type?: unknown; text?: unknown }) =>
            part.type === "output_text" ? [String(part.text)] : [],
          )
        : [];
    })
    .join("");
}

export function isMessage(item: unknown): boolean {
  const { type, role } = (item ?? {}) as { type?: unknown; role?: unknown };
  return role === "assistant" && (type === undefined || type === "message");
}

/** Kinds of items with which the agent goes on: the run acts on them. */
const acting: ReadonlySet<string> = new Set([
  "function_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
  "tool_search_call",
]);

export function goesOn(output: readonly AgentOutputItem[]): boolean {
  return output.some((item) => acting.has(String(item.type)));
}

/** Items that the provider made a tool's result of by itself. */
export function providerCalls(output: readonly AgentOutputItem[]): string[] {
  return output.flatMap((item) =>
    item.type === "hosted_tool_call" ? [String((item as { name?: unknown }).name)] : [],
  );
}

/**
 * The output that a hook gave an answer: a text, or `{ content }` with a text or items. Messages and function calls may
 * be new; anything else must be an item of the answer as it was.
 */
export function checkedOutput(replacement: unknown, original: readonly AgentOutputItem[]): AgentOutputItem[] {
  const content =
    typeof replacement === "string" ? replacement : (replacement as { content?: unknown }).content;
  if (typeof content === "string") return [answerItem(content)];
  if (!Array.isArray(content)) throw badAnswer();
  const known = new Set(original.map((item) => JSON.stringify(item)));
  return content.map((item: unknown) => {
    if (known.has(JSON.stringify(item))) return item as AgentOutputItem;
    const {
      type,
      callId,
      name,
      arguments: args,
      status,
    } = (item ?? {}) as { readonly [field: string]: unknown };
    if (isMessage(item)) return cleanMessage(item);
    if (type === "function_call" && [callId, name, args].every((field) => typeof field === "string")) {
      const { namespace } = item as { namespace?: unknown };
      const state = status === "completed" || status === "in_progress" ? status : "completed";
      const named = typeof namespace === "string" ? { namespace } : {};
      return { type, callId, name, arguments: args, status: state, ...named } as AgentOutputItem;
    }
    throw badAnswer();
  });
}

/** A message with texts alone: what the provider told beside them was told of the old ones. */
function cleanMessage(item: unknown): AgentOutputItem {
  const { id, content } = item as { id?: unknown; content?: unknown };
  const parts = typeof content === "string" ? [{ type: "output_text", text: content }] : content;
  if (!Array.isArray(parts)) throw badAnswer();
  const texts = parts.map((part: { type?: unknown; text?: unknown; refusal?: unknown } | null) => {
    if (part?.type === "output_text" && typeof part.text === "string")
      return { type: part.type, text: part.text };
    if (part?.type === "refusal" && typeof part.refusal === "string")
      return { type: part.type, refusal: part.refusal };
    throw badAnswer();
  });
  const kept = typeof id === "string" ? { id } : {};
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    ...kept,
    content: texts,
  } as AgentOutputItem;
}

/** Items that a hook wrote or kept for a request. */
export function checkedInput(items: readonly unknown[]): AgentInputItem[] {
  return items.map((item) => {
    const { role, type } = (item ?? {}) as { role?: unknown; type?: unknown };
    if (typeof role === "string" || typeof type === "string") return item as AgentInputItem;
    throw new HookwardenError("event-invalid", "a hook wrote a message that is none of this package");
  });
}

function badAnswer(): HookwardenError {
  return new HookwardenError("event-invalid", "a hook wrote an answer that is none of this package");
}
