import type { IncomingMessage } from "node:http";

const lineFeed = 0x0a;

export interface LineLimits {
  /** Longest line, in bytes. */
  readonly maxBytes: number;
  /** How long a line that has begun may take to arrive, in milliseconds; time without reading does not count. */
  readonly maxMs: number;
}

/**
 * Reads a request's body line by line (`application/x-ndjson`), as fast as the lines are asked for. Empty lines are skipped;
 * the last line needs no line feed.
 *
 * @returns the bytes of each line; `null` in the place of a line that is too long.
 */
export async function* readLines(
  request: IncomingMessage,
  { maxBytes, maxMs }: LineLimits,
): AsyncGenerator<Uint8Array | null> {
  const line = new PartialLine(maxBytes);
  const deadline = new Deadline(maxMs, () => request.destroy());
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      deadline.pause();
      let from = 0;
      for (let to = chunk.indexOf(lineFeed); to >= 0; to = chunk.indexOf(lineFeed, from)) {
        const whole = line.end(chunk.subarray(from, to));
        from = to + 1;
        deadline.reset();
        if (whole === null || whole.length > 0) yield whole;
      }
      line.push(chunk.subarray(from));
      if (line.hasBegun) deadline.resume();
    }
    deadline.pause();
    const rest = line.end(Buffer.alloc(0));
    if (rest === null || rest.length > 0) yield rest;
  } finally {
    deadline.pause();
  }
}

/** A line of which only the beginning has arrived. */
class PartialLine {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get hasBegun(): boolean {
    return this.#bytes > 0;
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#bytes += piece.length;
    // What is too long is counted, and not kept.
    if (this.#bytes > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
    if (this.#pieces.length >= 64) this.#pieces = [Buffer.concat(this.#pieces)];
  }

  end(piece: Buffer): Uint8Array | null {
    const isAlone = this.#bytes === 0 && piece.length <= this.#maxBytes;
    if (isAlone) return trimmed(piece);
    this.push(piece);
    const whole = this.#bytes > this.#maxBytes ? null : trimmed(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#bytes = 0;
    return whole;
  }
}

/** Without white space around it, such as the carriage return of a line that ends in both. */
function trimmed(line: Buffer): Buffer {
  let from = 0;
  let to = line.length;
  while (from < to && isBlank(line[from] as number)) from++;
  while (to > from && isBlank(line[to - 1] as number)) to--;
  return line.subarray(from, to);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/** A limit on the time that was spent waiting. */
class Deadline {
  readonly #maxMs: number;
  readonly #onPassed: () => void;
  #spentMs = 0;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(maxMs: number, onPassed: () => void) {
    this.#maxMs = maxMs;
    this.#onPassed = onPassed;
  }

  resume(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.#onPassed, Math.max(0, this.#maxMs - this.#spentMs));
  }

  pause(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#since;
  }

  reset(): void {
    this.#spentMs = 0;
  }
}
