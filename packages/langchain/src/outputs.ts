import { ToolMessage } from "@langchain/core/messages";
import { HookwardenError } from "hookwarden/errors";
import { asText, isPart } from "@hookwarden/mediator";
import { viewOf } from "./messages.ts";

/** A tool's output as hooks see it, with the conversions of what they return. */
export interface ToolOutput {
  /** The `tool_response` of PostToolUse. */
  readonly shown: unknown;
  readonly isError: boolean;
  /** The same output with a text appended for the model. */
  with(added: string): unknown;
  /** The output with which a hook replaced it; as a failure if `isError`. */
  replaced(result: unknown, isError: boolean, added: string | null): unknown;
}

interface CommandLike {
  readonly lg_name: "Command";
  readonly update?: unknown;
}

/** The call that an output belongs to. */
export interface OutputOf {
  readonly toolName: string;
  readonly toolCallId: string;
  /** The tool returns pairs of a content and an artifact that only programs read. */
  readonly pairs: boolean;
}

/** Converts what a tool returned: a text, data, blocks, a message, a pair with an artifact, or a command to the graph. */
export function toolOutput(raw: unknown, of: OutputOf): ToolOutput {
  if (isCommand(raw)) return commandOutput(raw, of);
  if (ToolMessage.isInstance(raw)) return messageOutput(raw, of);
  if (of.pairs && Array.isArray(raw) && raw.length === 2) {
    const [content, artifact] = raw as [unknown, unknown];
    return {
      shown: content,
      isError: false,
      with: (added) => [withAppended(content, added), artifact],
      // The artifact may contain what the hook removed from the content.
      replaced: (result, isError, added) =>
        isError ? message(result, true, added, of) : [withAppended(result, added), undefined],
    };
  }
  return {
    shown: raw ?? null,
    isError: false,
    with: (added) => withAppended(raw, added),
    replaced: (result, isError, added) =>
      isError ? message(result, true, added, of) : withAppended(result, added),
  };
}

function messageOutput(raw: ToolMessage, of: OutputOf): ToolOutput {
  const isError = raw.status === "error";
  return {
    shown: raw.content,
    isError,
    with: (added) => copy(raw, withAppended(raw.content, added)),
    replaced: (result, failed, added) => message(result, failed, added, of),
  };
}

/** A command may contain messages and any other part of the graph's state: hooks see all of it. */
function commandOutput(raw: CommandLike, of: OutputOf): ToolOutput {
  const update = (raw.update ?? {}) as { readonly [key: string]: unknown };
  const { messages, ...rest } = update;
  const listed = (
    Array.isArray(messages) ? messages : messages === undefined ? [] : [messages]
  ) as ToolMessage[];
  const views = listed.map(viewOf);
  const rebuilt = (next: readonly ToolMessage[], others: object): unknown =>
    Object.assign(Object.create(Object.getPrototypeOf(raw) as object) as object, raw, {
      update: { ...others, ...(messages === undefined ? {} : { messages: next }) },
    });
  const isOwn = (one: ToolMessage): boolean => one.tool_call_id === of.toolCallId;
  const augmented = (all: readonly ToolMessage[], added: string | null): ToolMessage[] =>
    added === null
      ? [...all]
      : all.map((one) => (isOwn(one) ? copy(one, withAppended(one.content, added)) : one));
  return {
    shown: { messages: views, ...rest },
    isError: false,
    with: (added) => rebuilt(augmented(listed, added), rest),
    replaced: (result, isError, added) => {
      const next = (typeof result === "object" && result !== null ? result : {}) as { messages?: unknown };
      const { messages: given, ...others } = next;
      const sameShape = !isError && Array.isArray(given) && given.length === listed.length;
      // Unless it is the same command with other texts, it is a plain result.
      if (!sameShape) return message(result, isError, added, of);
      const texts = listed.map((one, index) => {
        const { content } = (given[index] ?? {}) as { content?: unknown };
        if (typeof content !== "string" && !Array.isArray(content)) {
          throw new HookwardenError("event-invalid", "a hook wrote an invalid message");
        }
        return JSON.stringify(content) === JSON.stringify(one.content) ? one : copy(one, content);
      });
      return rebuilt(augmented(texts, added), others);
    },
  };
}

/** A message in place of an output. */
export function message(content: unknown, isError: boolean, added: string | null, of: OutputOf): ToolMessage {
  const text = asContent(withAppended(content, added));
  const status = isError ? ("error" as const) : ("success" as const);
  return new ToolMessage({ content: text, tool_call_id: of.toolCallId, name: of.toolName, status });
}

/** The same message with a different content, without other data derived from the original one. */
function copy(one: ToolMessage, content: unknown): ToolMessage {
  const isTool = ToolMessage.isInstance(one);
  if (!isTool) {
    const Message = (one as { constructor: new (fields: object) => ToolMessage }).constructor;
    const { id, name } = one as ToolMessage;
    return new Message({ content: asContent(content), ...(id ? { id } : {}), ...(name ? { name } : {}) });
  }
  const { tool_call_id, name, status, id } = one;
  return new ToolMessage({
    content: asContent(content),
    tool_call_id,
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(id === undefined ? {} : { id }),
  });
}

/** A content with a text appended. */
function withAppended(content: unknown, added: string | null): unknown {
  if (added === null) return content;
  if (Array.isArray(content) && content.length > 0 && content.every(isPart)) {
    return [...(content as unknown[]), { type: "text", text: added }];
  }
  return `${asText(content)}\n\n${added}`;
}

function asContent(content: unknown): string {
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isPart));
  return (isContent ? content : asText(content)) as string;
}

function isCommand(raw: unknown): raw is CommandLike {
  return typeof raw === "object" && raw !== null && (raw as { lg_name?: unknown }).lg_name === "Command";
}
