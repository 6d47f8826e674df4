import { HookwardenError } from "hookwarden/errors";
import { ChunkWindow, type JudgeChunk } from "@hookwarden/mediator";
import type { StreamPart } from "./types.ts";

type Block = "text" | "reasoning" | "tool-input";
type Kind = StreamPart["type"];

/** Parts that carry a piece of what the model says, beside texts that come in pieces. */
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
 * Takes the parts of a stream through ModelResponseChunk. A text in pieces is judged in windows; what is no text is
 * judged whole, as the provider's object. What the provider said of the unchanged text beside it (raw chunks, metadata
 * with tokens) is left out, since no hook has rewritten it.
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
      // A provider that leaves a block open does not get its end past the hooks.
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

/** Files are shown by their kind: their bytes are nothing for a hook to judge. */
function plain(part: StreamPart): unknown {
  if (part.type !== "file" && part.type !== "reasoning-file") return JSON.parse(JSON.stringify(part));
  const { type, mediaType } = part;
  return { type, mediaType };
}

/** A part that a hook put in the place of another: of the same kind, and of the same call. */
function checkedPart(judged: unknown, part: StreamPart): StreamPart {
  const shown = plain(part);
  if (JSON.stringify(judged) === JSON.stringify(shown)) return part;
  const next = (typeof judged === "object" && judged !== null ? judged : {}) as Record<string, unknown>;
  const before = part as unknown as Record<string, unknown>;
  const same = ["type", "toolCallId", "providerExecuted"].every((field) => next[field] === before[field]);
  if (!same || part.type === "file" || part.type === "reasoning-file") {
    throw new HookwardenError("event-invalid", "a hook replaced a part of a stream by one of another kind");
  }
  if (part.type === "tool-call" && (typeof next.input !== "string" || typeof next.toolName !== "string")) {
    throw new HookwardenError("event-invalid", "a hook replaced a tool call of a stream by one that is none");
  }
  return next as unknown as StreamPart;
}
