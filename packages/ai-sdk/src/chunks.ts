import { HookwardenError } from "hookwarden/errors";
import { ChunkWindow, type JudgeChunk } from "@hookwarden/mediator";
import type { StreamPart } from "./types.ts";

type Block = "text" | "reasoning" | "tool-input";
type Kind = StreamPart["type"];

/** Parts with content of the answer that are not split over several parts. */
const whole: ReadonlySet<Kind> = new Set<Kind>([
  "tool-call",
  "tool-result",
  "tool-approval-request",
  "file",
  "reasoning-file",
  "source",
  "custom",
]);

const blocks: ReadonlyMap<Kind, Block> = new Map<Kind, Block>([
  ["text-delta", "text"],
  ["text-end", "text"],
  ["reasoning-delta", "reasoning"],
  ["reasoning-end", "reasoning"],
  ["tool-input-delta", "tool-input"],
  ["tool-input-end", "tool-input"],
]);

/**
 * Has ModelResponseChunk decide on the parts of a stream. Split text is judged in windows; any other part is judged as a
 * whole, as the provider's object. The provider's data about the unchanged text (raw chunks, token metadata) is dropped,
 * since it would reveal what hooks rewrote.
 */
export async function* judgedParts(
  parts: AsyncIterable<StreamPart>,
  judge: JudgeChunk,
  hold: number,
): AsyncGenerator<StreamPart> {
  const windows = new Map<string, ChunkWindow>();
  for await (const part of parts) {
    if (part.type === "raw") continue;
    const block = blocks.get(part.type);
    if (block !== undefined) {
      const { id } = part as { id: string };
      const key = `${block} ${id}`;
      let window = windows.get(key);
      if (!window) windows.set(key, (window = new ChunkWindow(hold, judge)));
      const ends = part.type.endsWith("-end");
      const delta = ends ? await window.end() : await window.push((part as { delta: string }).delta);
      if (delta !== "") yield { type: `${block}-delta`, id, delta } as StreamPart;
      if (ends) {
        windows.delete(key);
        yield { type: part.type, id } as StreamPart;
      }
      continue;
    }
    if (whole.has(part.type)) {
      const judged = await judge(plain(part), false);
      if (judged !== null) yield checkedPart(judged, part);
      continue;
    }
    if (part.type === "finish") {
      // If the provider leaves a block open, its end must still pass the hooks.
      for (const [key, window] of windows) yield* rest(key, window);
      const { usage, finishReason } = part;
      yield { type: "finish", usage, finishReason };
      continue;
    }
    yield part;
  }
}

async function* rest(key: string, window: ChunkWindow): AsyncGenerator<StreamPart> {
  const [block, ...id] = key.split(" ");
  const delta = await window.end();
  if (delta !== "") yield { type: `${block}-delta`, id: id.join(" "), delta } as StreamPart;
}

/** Files are shown by their media type only, without their bytes. */
function plain(part: StreamPart): unknown {
  if (part.type !== "file" && part.type !== "reasoning-file") return JSON.parse(JSON.stringify(part));
  const { type, mediaType } = part;
  return { type, mediaType };
}

/** Validates a part that a hook rewrote: it must be of the same type and the same call. */
function checkedPart(judged: unknown, part: StreamPart): StreamPart {
  const shown = plain(part);
  if (JSON.stringify(judged) === JSON.stringify(shown)) return part;
  const next = (typeof judged === "object" && judged !== null ? judged : {}) as Record<string, unknown>;
  const before = part as unknown as Record<string, unknown>;
  const same = ["type", "toolCallId", "providerExecuted"].every((field) => next[field] === before[field]);
  if (!same || part.type === "file" || part.type === "reasoning-file") {
    throw new HookwardenError("event-invalid", "a hook replaced a stream part with one of a different type");
  }
  if (part.type === "tool-call" && (typeof next.input !== "string" || typeof next.toolName !== "string")) {
    throw new HookwardenError("event-invalid", "a hook replaced a streamed tool call with an invalid one");
  }
  return next as unknown as StreamPart;
}
