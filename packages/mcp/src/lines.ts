const newline = 0x0a;
const carriageReturn = 0x0d;

/** Cuts a stream of bytes into lines, none of them longer than the limit; longer ones are skipped to their end. */
export class LineReader {
  readonly #maxBytes: number;
  readonly #online: (line: Buffer) => void;
  readonly #onoversize: () => void;
  #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;

  /**
   * @param maxBytes longest line, in bytes without its end.
   * @param online is given each line that is not empty.
   * @param onoversize is called once for each line that is longer.
   */
  constructor(maxBytes: number, online: (line: Buffer) => void, onoversize: () => void) {
    this.#maxBytes = maxBytes;
    this.#online = online;
    this.#onoversize = onoversize;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(newline, start);
      if (end < 0) break;
      this.#take(chunk.subarray(start, end));
      this.#end();
      start = end + 1;
    }
    if (start < chunk.length) this.#take(chunk.subarray(start));
  }

  #take(part: Buffer): void {
    if (this.#skipping || part.length === 0) return;
    this.#length += part.length;
    if (this.#length > this.#maxBytes) {
      this.#skipping = true;
      this.#parts = [];
      this.#onoversize();
      return;
    }
    this.#parts.push(part);
  }

  #end(): void {
    const [first, ...more] = this.#parts;
    const skipped = this.#skipping;
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (skipped || !first) return;
    const line = more.length === 0 ? first : Buffer.concat([first, ...more]);
    const bare = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
    if (bare.length > 0) this.#online(bare);
  }
}
