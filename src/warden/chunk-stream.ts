import type { Decision } from "../broker/index.ts";

/** A piece of a model's response: text, or the provider's object. */
export type Chunk = string | { readonly [field: string]: unknown };

export interface ChunkStreamOptions {
  /** The agent session. */
  readonly session_id: string;
  /** Default: a new id. */
  readonly stream_id?: string;
  readonly model?: string;
  readonly tenant?: string;
}

/** Asks for a decision on one event. */
type Dispatch = (event: object, options: { readonly tenant?: string }) => Promise<Decision>;

/**
 * A stream through which a model's response passes chunk by chunk, each as a `ModelResponseChunk` event: hooks rewrite
 * it or drop it. One chunk is decided at a time, in order, and no more are taken in until there is room for it
 * behind. An error of the host (a chunk that is no text and no object) ends the stream.
 */
export function chunkStream(dispatch: Dispatch, options: ChunkStreamOptions): TransformStream<Chunk, Chunk> {
  const { session_id, model, tenant } = options;
  const stream_id = options.stream_id ?? crypto.randomUUID();
  let index = 0;
  return new TransformStream<Chunk, Chunk>(
    {
      async transform(chunk, controller) {
        const event = {
          hook_event_name: "ModelResponseChunk",
          session_id,
          stream_id,
          index: index++,
          chunk,
          ...(model === undefined ? {} : { model }),
        };
        const { verdict, changes } = await dispatch(event, tenant === undefined ? {} : { tenant });
        // Here every stop drops the chunk.
        if (verdict !== "continue") return;
        controller.enqueue(Object.hasOwn(changes, "chunk") ? (changes.chunk as Chunk) : chunk);
      },
    },
    { highWaterMark: 1 },
    { highWaterMark: 0 },
  );
}
