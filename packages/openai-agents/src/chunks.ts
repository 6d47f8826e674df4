import type { AgentOutputItem, StreamEvent } from "@openai/agents";
import { HookwardenError } from "hookwarden/errors";
import { ChunkWindow, type JudgeChunk } from "@hookwarden/mediator";
import { isMessage, withoutProvider } from "./answers.ts";

type TextDelta = Extract<StreamEvent, { type: "output_text_delta" }>;

/** Has ModelResponseChunk decide on the text deltas of one stream, in one window for each item. */
export class TextWindows {
  readonly #windows = new Map<string, ChunkWindow>();
  readonly #hold: number;
  readonly #judge: JudgeChunk;

  constructor(hold: number, judge: JudgeChunk) {
    this.#hold = hold;
    this.#judge = judge;
  }

  /** Emits the text that may be shown now. */
  async *push(event: TextDelta): AsyncGenerator<StreamEvent> {
    const key = event.itemId ?? "";
    let window = this.#windows.get(key);
    if (!window) this.#windows.set(key, (window = new ChunkWindow(this.#hold, this.#judge)));
    const delta = await window.push(event.delta);
    if (delta !== "") yield { ...withoutProvider(event), delta };
  }

  /** Emits the text that is still held back. */
  async *end(): AsyncGenerator<StreamEvent> {
    for (const [itemId, window] of this.#windows) {
      const delta = await window.end();
      if (delta !== "") yield { type: "output_text_delta", delta, ...(itemId === "" ? {} : { itemId }) };
    }
  }
}

/** Has ModelResponseChunk decide on the items of a whole answer, as the last chunks of its stream. */
export async function judgedItems(
  output: readonly AgentOutputItem[],
  judge: JudgeChunk,
): Promise<AgentOutputItem[]> {
  const judged: AgentOutputItem[] = [];
  for (const item of output) {
    if (isMessage(item)) {
      const { content } = item as { content: readonly { readonly type: string; readonly text?: string }[] };
      const parts: unknown[] = [];
      for (const part of content) {
        if (part.type !== "output_text" || part.text === undefined) {
          parts.push(part);
          continue;
        }
        const text = part.text === "" ? "" : await judge(part.text, true);
        if (text !== null && typeof text !== "string") throw badChunk();
        parts.push({ type: part.type, text: text ?? "" });
      }
      const { providerData: _data, ...bare } = item as { providerData?: unknown };
      judged.push({ ...bare, content: parts } as AgentOutputItem);
      continue;
    }
    const shown: unknown = JSON.parse(JSON.stringify(item));
    const next = await judge(shown, true);
    if (next === null) continue;
    const { type, callId } = next as { type?: unknown; callId?: unknown };
    if (type !== item.type || callId !== (item as { callId?: unknown }).callId) throw badChunk();
    judged.push(next as AgentOutputItem);
  }
  return judged;
}

function badChunk(): HookwardenError {
  return new HookwardenError("event-invalid", "a hook replaced a stream part with one of a different type");
}
