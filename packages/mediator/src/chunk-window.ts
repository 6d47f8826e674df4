import { HookwardenError } from "hookwarden/errors";
import type { Mediator } from "./mediator.ts";

/** Decides on one chunk of a stream: returns what may be emitted instead, or `null` for nothing. */
export type JudgeChunk = (chunk: unknown, final: boolean) => Promise<unknown>;

/**
 * Has ModelResponseChunk decide on the chunks of one stream, in order.
 *
 * @throws {HookwardenError} from the returned function, where there is no decision: the stream must end.
 */
export function chunkJudge(
  mediator: Mediator,
  stream: { readonly id: string; readonly model: string },
): JudgeChunk {
  let index = 0;
  return async (chunk, final) => {
    const { verdict, changes } = await mediator.decide("ModelResponseChunk", {
      stream_id: stream.id,
      index: index++,
      chunk,
      model: stream.model.slice(0, 256),
      ...(final ? { final } : {}),
    });
    if (verdict !== "continue") return null;
    return Object.hasOwn(changes, "chunk") ? changes.chunk : chunk;
  };
}

/**
 * Holds back the end of a streamed text, so that a secret which is split over chunks is judged as a whole. Windows
 * overlap by `hold` characters, and a character is emitted only after the window that ends `hold` characters behind it
 * was judged. Any text of at most `hold` characters has therefore been seen in one piece before its first character is
 * emitted. The overlap is judged twice, the second time as it was rewritten.
 *
 * With `hold` 0, each chunk is judged by itself and nothing is held back.
 */
export class ChunkWindow {
  #held = "";
  readonly #hold: number;
  readonly #judge: JudgeChunk;

  constructor(hold: number, judge: JudgeChunk) {
    this.#hold = hold;
    this.#judge = judge;
  }

  /** Adds a piece and returns the text that may be emitted now, often none. */
  async push(piece: string): Promise<string> {
    if (this.#hold === 0) return piece === "" ? "" : this.#judged(piece, false);
    this.#held += piece;
    if (this.#held.length < 2 * this.#hold) return "";
    const text = await this.#judged(this.#held, false);
    let cut = Math.max(0, text.length - this.#hold);
    // Never split a surrogate pair.
    if (cut > 0 && (text.charCodeAt(cut) & 0xfc00) === 0xdc00) cut--;
    this.#held = text.slice(cut);
    return text.slice(0, cut);
  }

  /** Returns the text that is still held back. */
  async end(): Promise<string> {
    const rest = this.#held;
    this.#held = "";
    return rest === "" ? "" : this.#judged(rest, true);
  }

  async #judged(text: string, final: boolean): Promise<string> {
    const judged = await this.#judge(text, final);
    if (judged === null) return "";
    if (typeof judged !== "string") {
      throw new HookwardenError(
        "event-invalid",
        "a hook replaced a text chunk with a value that is not a string",
      );
    }
    return judged;
  }
}
