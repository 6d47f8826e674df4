import { AIMessageChunk } from "@langchain/core/messages";
import { HookwardenError } from "hookwarden/errors";
import { ChunkWindow, type JudgeChunk } from "@hookwarden/mediator";

type CallChunk = NonNullable<AIMessageChunk["tool_call_chunks"]>[number];

/**
 * Has ModelResponseChunk decide on the chunks of an answer. Text is judged in windows, any other block by itself, and a
 * tool call as a whole after its last piece. The provider's other data is dropped, since no hook has seen it.
 */
export async function* judgedChunks(
  chunks: AsyncIterable<AIMessageChunk>,
  judge: JudgeChunk,
  hold: number,
): AsyncGenerator<AIMessageChunk> {
  const window = new ChunkWindow(hold, judge);
  const calls: CallChunk[] = [];
  let id: string | undefined;
  let usage: AIMessageChunk["usage_metadata"];
  for await (const chunk of chunks) {
    id ??= chunk.id;
    usage = chunk.usage_metadata ?? usage;
    calls.push(...(chunk.tool_call_chunks ?? []));
    const text = await window.push(chunk.text);
    if (text !== "") yield piece({ content: text }, id);
    if (!Array.isArray(chunk.content)) continue;
    for (const block of chunk.content) {
      // Calls are judged below, as a whole.
      if (block.type === "text" || /tool_call|tool_use|input_json/.test(block.type)) continue;
      const judged = await judge(JSON.parse(JSON.stringify(block)), false);
      if (judged !== null) yield piece({ content: [judged] }, id);
    }
  }
  const rest = await window.end();
  if (rest !== "") yield piece({ content: rest }, id);
  const last = { content: "", ...(usage ? { usage_metadata: usage } : {}) };
  yield piece({ ...last, tool_call_chunks: await judgedCalls(calls, judge) }, id);
}

async function judgedCalls(pieces: readonly CallChunk[], judge: JudgeChunk): Promise<CallChunk[]> {
  const whole = new Map<unknown, { name: string; args: string; id?: string }>();
  for (const { index, id, name, args } of pieces) {
    const key = index ?? id ?? whole.size;
    const call = whole.get(key) ?? { name: "", args: "" };
    whole.set(key, {
      name: call.name + (name ?? ""),
      args: call.args + (args ?? ""),
      ...((id ?? call.id) === undefined ? {} : { id: (id ?? call.id) as string }),
    });
  }
  const judged: CallChunk[] = [];
  for (const call of whole.values()) {
    const shown = { type: "tool_call", ...call };
    const next = await judge(shown, false);
    if (next === null) continue;
    const { name, args, id } = next as { [field: string]: unknown };
    if (typeof name !== "string" || typeof args !== "string" || id !== call.id) {
      throw new HookwardenError("event-invalid", "a hook replaced a streamed tool call with an invalid one");
    }
    judged.push({
      type: "tool_call_chunk",
      index: judged.length,
      name,
      args,
      ...(call.id ? { id: call.id } : {}),
    });
  }
  return judged;
}

function piece(fields: object, id: string | undefined): AIMessageChunk {
  return new AIMessageChunk({ ...fields, ...(id === undefined ? {} : { id }) } as ConstructorParameters<
    typeof AIMessageChunk
  >[0]);
}
