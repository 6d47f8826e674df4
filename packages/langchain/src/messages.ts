import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { HookwardenError } from "hookwarden/errors";
import { jsonView } from "@hookwarden/mediator";

/** A message as hooks see it. */
export interface MessageView {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly { readonly id?: unknown; readonly name: unknown; readonly args: unknown }[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

const roles: ReadonlyMap<string, string> = new Map([
  ["human", "user"],
  ["ai", "assistant"],
  ["system", "system"],
  ["tool", "tool"],
]);

/** Shows a message to hooks: what the model reads of it, and nothing of the package's bookkeeping. */
export function viewOf(message: BaseMessage): MessageView {
  const { tool_calls, tool_call_id } = message as {
    tool_calls?: AIMessage["tool_calls"];
    tool_call_id?: string;
  };
  return {
    role: roles.get(message.type) ?? message.type,
    content: message.content,
    ...(tool_calls?.length
      ? { tool_calls: tool_calls.map(({ id, name, args }) => ({ id, name, args })) }
      : {}),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(message.name === undefined ? {} : { name: message.name }),
  };
}

/** Messages that hooks wrote or kept: kept ones are the very same objects. */
export function fromViews(views: readonly unknown[], originals: readonly BaseMessage[]): BaseMessage[] {
  const known = new Map(originals.map((message) => [keyOf(viewOf(message)), message]));
  return views.map((view) => known.get(keyOf(view)) ?? fromView(view));
}

function keyOf(view: unknown): string {
  return JSON.stringify(jsonView(view).value);
}

function fromView(view: unknown): BaseMessage {
  const { role, content, tool_calls, tool_call_id, name } = (view ?? {}) as Partial<MessageView>;
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
  if (isContent) {
    const fields = { content: content as string, ...(typeof name === "string" ? { name } : {}) };
    if (role === "user") return new HumanMessage(fields);
    if (role === "system") return new SystemMessage(fields);
    if (role === "assistant") return new AIMessage({ ...fields, tool_calls: checkedCalls(tool_calls) });
    if (role === "tool" && typeof tool_call_id === "string")
      return new ToolMessage({ ...fields, tool_call_id });
  }
  throw new HookwardenError("event-invalid", "a hook wrote a message that is none of this package");
}

function isBlock(block: unknown): boolean {
  return (
    typeof block === "object" && block !== null && typeof (block as { type?: unknown }).type === "string"
  );
}

function checkedCalls(calls: unknown): NonNullable<AIMessage["tool_calls"]> {
  if (calls === undefined) return [];
  const good =
    Array.isArray(calls) &&
    calls.every(
      (call: { id?: unknown; name?: unknown; args?: unknown } | null) =>
        typeof call?.id === "string" &&
        typeof call.name === "string" &&
        typeof call.args === "object" &&
        call.args,
    );
  if (!good) throw new HookwardenError("event-invalid", "a hook wrote tool calls that are none");
  return (calls as { id: string; name: string; args: Record<string, unknown> }[]).map(
    ({ id, name, args }) => ({
      id,
      name,
      args,
      type: "tool_call",
    }),
  );
}

/** An answer that a hook rewrote: its text or its parts, and its calls; nothing beside them is kept. */
export function rewrittenAnswer(replacement: unknown, original: AIMessage): AIMessage {
  const view =
    typeof replacement === "string"
      ? { role: "assistant", content: replacement }
      : { ...(replacement as object), role: "assistant" };
  const message = fromView(view) as AIMessage;
  if (original.id !== undefined) message.id = original.id;
  if (original.usage_metadata) message.usage_metadata = original.usage_metadata;
  return message;
}

/** Text of an answer, for another request. */
export function answerTurn(answer: AIMessage): BaseMessage[] {
  return answer.text === "" ? [] : [new AIMessage(answer.text)];
}

/** Names of the tools that a provider ran while it answered. */
export function providerCalls(answer: AIMessage): string[] {
  if (!Array.isArray(answer.content)) return [];
  return answer.content.flatMap((block) => {
    const { type, name } = block as { type: string; name?: unknown };
    const isCall =
      type === "server_tool_call" ||
      type === "server_tool_use" ||
      /^(web_search|file_search|computer|code_interpreter|mcp|image_generation)_call$/.test(type);
    return isCall ? [typeof name === "string" ? name : type] : [];
  });
}
