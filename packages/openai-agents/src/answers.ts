import { randomUUID } from "node:crypto";
import type { AgentOutputItem, StreamEvent, Usage } from "@openai/agents";
import { HookwardenError } from "hookwarden/errors";

/** The last event of a stream. */
export type Done = Extract<StreamEvent, { type: "response_done" }>;

/** An answer with a text. */
export function answerItem(text: string): AgentOutputItem {
  return {
    type: "message",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text }],
  };
}

/** The text of an answer. */
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

/** Whether an item is a message of the model. */
export function isMessage(item: unknown): boolean {
  const { type, role } = (item ?? {}) as { type?: unknown; role?: unknown };
  return role === "assistant" && (type === undefined || type === "message");
}

/** Types of items that the agent acts on. */
const acting: ReadonlySet<string> = new Set([
  "function_call",
  "shell_call",
  "apply_patch_call",
  "computer_call",
  "tool_search_call",
]);

/** Whether the agent continues after an answer. */
export function continuesAfter(output: readonly AgentOutputItem[]): boolean {
  return output.some((item) => acting.has(String(item.type)));
}

/** Names of the tools that the provider executed for an answer. */
export function providerCalls(output: readonly AgentOutputItem[]): string[] {
  return output.flatMap((item) =>
    item.type === "hosted_tool_call" ? [String((item as { name?: unknown }).name)] : [],
  );
}

/**
 * Validates the output with which a hook replaced an answer: a text, or `{ content }` with a text or items. Messages and
 * function calls may be new; any other item must be one of the original answer.
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

/** A message with its texts only: the provider's other data is about the original ones. */
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

function badAnswer(): HookwardenError {
  return new HookwardenError("event-invalid", "a hook wrote an invalid answer");
}

/** An event without the provider's own data. */
export function withoutProvider<E extends { readonly providerData?: unknown }>(event: E): E {
  const { providerData: _data, ...bare } = event;
  return bare as E;
}

/** The end of a stream with a different output. */
export function endWith(
  done: Done,
  {
    output,
    usage,
    changed,
  }: { readonly output: AgentOutputItem[]; readonly usage: Usage; readonly changed: boolean },
): StreamEvent {
  const { response } = done;
  const {
    providerData: _data,
    rawUsage: _raw,
    ...bare
  } = response as Done["response"] & { rawUsage?: unknown };
  const end = { ...(changed ? bare : response), output, usage: usageData(usage) } as Done["response"];
  return { ...(changed ? withoutProvider(done) : done), response: end };
}

/** The stream in place of an answer that hooks refused. */
export function* refusedEvents(text: string, usage: Usage, done?: Done): Generator<StreamEvent> {
  yield { type: "output_text_delta", delta: text };
  const id = done?.response.id ?? `hookwarden-${randomUUID()}`;
  const output = [answerItem(text)] as Done["response"]["output"];
  yield { type: "response_done", response: { id, usage: usageData(usage), output } };
}

function usageData({ requests, inputTokens, outputTokens, totalTokens }: Usage): Done["response"]["usage"] {
  return { requests, inputTokens, outputTokens, totalTokens };
}
