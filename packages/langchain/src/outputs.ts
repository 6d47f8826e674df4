import { ToolMessage } from "@langchain/core/messages";
import { HookwardenError } from "hookwarden/errors";
import { viewOf } from "./messages.ts";

/** What a tool gave back, as hooks see it, and the way back from what they made of it. */
export interface ToolOutput {
  /** What PostToolUse is shown as `tool_response`. */
  readonly shown: unknown;
  readonly isError: boolean;
  /** The same with a text behind it for the model. */
  with(added: string): unknown;
  /** What a hook put in its place; where `isError`, as a failure. */
  replaced(result: unknown, isError: boolean, added: string | null): unknown;
}

interface CommandLike {
  readonly lg_name: "Command";
  readonly update?: unknown;
}

/** Whose output it is. */
export interface OutputOf {
  readonly toolName: string;
  readonly toolCallId: string;
  /** The tool returns pairs of a content and something that only programs read. */
  readonly pairs: boolean;
}

/** Shows what a tool returned: a text, data, blocks, a message, a pair with an artifact, or a command to the graph. */
export function toolOutput(raw: unknown, of: OutputOf): ToolOutput {
  if (isCommand(raw)) return commandOutput(raw, of);
  if (ToolMessage.isInstance(raw)) return messageOutput(raw, of);
  if (of.pairs && Array.isArray(raw) && raw.length === 2) {
    const [content, artifact] = raw as [unknown, unknown];
    return {
      shown: content,
      isError: false,
      with: (added) => [behind(content, added), artifact],
      // The artifact tells what the content told.
      replaced: (result, isError, added) =>
        isError ? message(result, true, added, of) : [behind(result, added), undefined],
    };
  }
  return {
    shown: raw ?? null,
    isError: false,
    with: (added) => behind(raw, added),
    replaced: (result, isError, added) =>
      isError ? message(result, true, added, of) : behind(result, added),
  };
}

function messageOutput(raw: ToolMessage, of: OutputOf): ToolOutput {
  const isError = raw.status === "error";
  return {
    shown: raw.content,
    isError,
    with: (added) => copy(raw, behind(raw.content, added)),
    replaced: (result, failed, added) => message(result, failed, added, of),
  };
}

/** A command may hold messages and anything else of the graph's state: hooks are shown all of it. */
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
    added === null ? [...all] : all.map((one) => (isOwn(one) ? copy(one, behind(one.content, added)) : one));
  return {
    shown: { messages: views, ...rest },
    isError: false,
    with: (added) => rebuilt(augmented(listed, added), rest),
    replaced: (result, isError, added) => {
      const next = (typeof result === "object" && result !== null ? result : {}) as { messages?: unknown };
      const { messages: given, ...others } = next;
      const sameShape = !isError && Array.isArray(given) && given.length === listed.length;
      // Anything else than the same command with other texts is a result, and no command any more.
      if (!sameShape) return message(result, isError, added, of);
      const texts = listed.map((one, index) => {
        const { content } = (given[index] ?? {}) as { content?: unknown };
        if (typeof content !== "string" && !Array.isArray(content)) {
          throw new HookwardenError("event-invalid", "a hook wrote a message that is none of this package");
        }
        return JSON.stringify(content) === JSON.stringify(one.content) ? one : copy(one, content);
      });
      return rebuilt(augmented(texts, added), others);
    },
  };
}

/** A message in place of an output. */
export function message(content: unknown, isError: boolean, added: string | null, of: OutputOf): ToolMessage {
  const text = asContent(behind(content, added));
  const status = isError ? ("error" as const) : ("success" as const);
  return new ToolMessage({ content: text, tool_call_id: of.toolCallId, name: of.toolName, status });
}

/** The same message with another content: nothing that told the old one beside it is kept. */
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

/** A content with a text behind it. */
function behind(content: unknown, added: string | null): unknown {
  if (added === null) return content;
  if (Array.isArray(content) && content.length > 0 && content.every(isBlock)) {
    return [...(content as unknown[]), { type: "text", text: added }];
  }
  return `${asText(content)}\n\n${added}`;
}

function asContent(content: unknown): string {
  const isContent = typeof content === "string" || (Array.isArray(content) && content.every(isBlock));
  return (isContent ? content : asText(content)) as string;
}

function asText(content: unknown): string {
  return typeof content === "string" ? content : (JSON.stringify(content) ?? "");
}

function isBlock(block: unknown): boolean {
  return (
    typeof block === "object" && block !== null && typeof (block as { type?: unknown }).type === "string"
  );
}

function isCommand(raw: unknown): raw is CommandLike {
  return typeof raw === "object" && raw !== null && (raw as { lg_name?: unknown }).lg_name === "Command";
}
