import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { HookwardenError } from "hookwarden/errors";
import { isPart, jsonView } from "@hookwarden/mediator";

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

/** The view of a message that hooks get: what the model reads, without LangChain's metadata. */
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

/** The messages that hooks returned; an unchanged one is the identical object. */
export function fromViews(views: readonly unknown[], originals: readonly BaseMessage[]): BaseMessage[] {
  const known = new Map(originals.map((message) => [keyOf(viewOf(message)), message]));
  return views.map((view) => known.get(keyOf(view)) ?? fromView(view));
}

function keyOf(view: unknown): string {
  return JSON.stringify(jsonView(view).value);
}

/** Validates a message that a hook wrote. */
export function fromView(view: unknown): BaseMessage {
  const { role, content, tool_calls, tool_call_id, name } = (view ?? {}) as Partial<MessageView>;
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isPart));
  if (isContent) {
    const fields = { content: content as string, ...(typeof name === "string" ? { name } : {}) };
    if (role === "user") return new HumanMessage(fields);
    if (role === "system") return new SystemMessage(fields);
    if (role === "assistant") return new AIMessage({ ...fields, tool_calls: checkedCalls(tool_calls) });
    if (role === "tool" && typeof tool_call_id === "string")
      return new ToolMessage({ ...fields, tool_call_id });
  }
  throw new HookwardenError("event-invalid", "a hook wrote an invalid message");
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
  if (!good) throw new HookwardenError("event-invalid", "a hook wrote invalid tool calls");
  return (calls as { id: string; name: string; args: Record<string, unknown> }[]).map(
    ({ id, name, args }) => ({
      id,
      name,
      args,
      type: "tool_call",
    }),
  );
}

/** The same message with a different text, at the same position of the conversation. */
export function withText(message: BaseMessage, text: string): BaseMessage {
  const files = Array.isArray(message.content) ? message.content.filter(({ type }) => type !== "text") : [];
  return new HumanMessage({
    content: files.length === 0 ? text : [{ type: "text", text }, ...files],
    ...(message.id === undefined ? {} : { id: message.id }),
  });
}
