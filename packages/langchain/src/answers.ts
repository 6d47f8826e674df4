import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { fromView } from "./messages.ts";

/** An answer as a hook rewrote it: its text or parts, and its calls, without the provider's other data. */
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

/** The text of an answer as a message for another request. */
export function answerTurn(answer: AIMessage): BaseMessage[] {
  return answer.text === "" ? [] : [new AIMessage(answer.text)];
}

/** Names of the tools that the provider executed for an answer. */
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

/** A stream of messages as a stream of chunks. */
export async function* asChunks(stream: AsyncIterable<AIMessage>): AsyncGenerator<AIMessageChunk> {
  for await (const message of stream) yield asChunk(message);
}

/** A whole message as one chunk. */
export function asChunk(message: AIMessage): AIMessageChunk {
  if (message instanceof AIMessageChunk) return message;
  const { content, id, tool_calls = [], usage_metadata, response_metadata, additional_kwargs } = message;
  return new AIMessageChunk({
    content,
    ...(id === undefined ? {} : { id }),
    ...(usage_metadata ? { usage_metadata } : {}),
    response_metadata,
    additional_kwargs,
    tool_call_chunks: tool_calls.map(({ id: callId, name, args }, index) => ({
      type: "tool_call_chunk",
      index,
      name,
      args: JSON.stringify(args),
      ...(callId === undefined ? {} : { id: callId }),
    })),
  } as ConstructorParameters<typeof AIMessageChunk>[0]);
}
