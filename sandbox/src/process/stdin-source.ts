import type { readSync } from "node:fs";
import type { ByteSource } from "./request.ts";

const usualBytes = 65_536;
/** A buffer that one large frame has made is given back when it is empty. */
const keptBytes = 1_048_576;

/** How often the rest of a frame is looked for before this process gives others the core. */
const looks = 32;
/** For how long it does so at a time, in milliseconds. */
const restMs = 0.1;

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Standard input as lines and texts of known size; waits within a frame until all of it is there. */
export class StdinSource implements ByteSource {
  readonly #read: typeof readSync;
  #buffer = Buffer.allocUnsafeSlow(usualBytes);
  #from = 0;
  #to = 0;
  #ended = false;

  constructor(read: typeof readSync) {
    this.#read = read;
  }

  line(): string | null {
    if (this.#from === this.#to && this.#buffer.length > keptBytes)
      this.#buffer = Buffer.allocUnsafeSlow(usualBytes);
    for (let searched = 0; ;) {
      const unread = this.#to - this.#from;
      if (unread > searched) {
        const newline = this.#buffer.indexOf(10, this.#from + searched);
        if (newline >= 0 && newline < this.#to) {
          const line = this.#buffer.toString("latin1", this.#from, newline);
          this.#from = newline + 1;
          return line;
        }
      }
      if (!this.#fill(unread + 1)) return null;
      searched = unread;
    }
  }

  text(size: number): string {
    if (this.#to - this.#from <= size && !this.#fill(size + 1))
      throw new Error("the stream ended within a frame");
    const end = this.#from + size;
    if (this.#buffer[end] !== 10) throw new Error("a frame does not end where it says");
    const text = this.#buffer.toString("utf8", this.#from, end);
    this.#from = end + 1;
    return text;
  }

  /** Looks for bytes for so many microseconds, and at least once; `true` when there are some, or none will come. */
  poll(us: number): boolean {
    if (this.#to > this.#from || this.#ended) return true;
    this.#from = this.#to = 0;
    const until = performance.now() + us / 1_000;
    // Each look in vain is an error with a stack that nobody reads.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      let count = this.#tryRead();
      while (count < 0 && performance.now() < until) count = this.#tryRead();
      if (count > 0) this.#to = count;
      this.#ended = count === 0;
      return count >= 0;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  /** Takes bytes that somebody else has read, after which nothing had been left unread here. */
  feed(bytes: Uint8Array): void {
    if (bytes.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes.length);
    this.#buffer.set(bytes);
    this.#from = 0;
    this.#to = bytes.length;
  }

  /** Somebody else has come to the end of the stream. */
  end(): void {
    this.#ended = true;
  }

  /** Reads until at least `wanted` unread bytes are there; `false` at the end of the stream. */
  #fill(wanted: number): boolean {
    const have = this.#to - this.#from;
    if (wanted > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(wanted + usualBytes, this.#buffer.length * 2));
      this.#buffer.copy(larger, 0, this.#from, this.#to);
      this.#buffer = larger;
      this.#from = 0;
      this.#to = have;
    } else if (have === 0) {
      this.#from = this.#to = 0;
    } else if (this.#from + wanted > this.#buffer.length || this.#to === this.#buffer.length) {
      this.#buffer.copyWithin(0, this.#from, this.#to);
      this.#from = 0;
      this.#to = have;
    }
    while (this.#to - this.#from < wanted) {
      const count = this.#readSome();
      if (count === 0) return false;
      this.#to += count;
    }
    return true;
  }

  #readSome(): number {
    for (let look = 1; !this.#ended; look++) {
      const count = this.#tryRead();
      if (count >= 0) return count;
      if (look > looks) Atomics.wait(pause, 0, 0, restMs);
    }
    return 0;
  }

  /** How many bytes have been read; 0 at the end of the stream, -1 where the descriptor does not block and has none. */
  #tryRead(): number {
    try {
      return this.#read(0, this.#buffer, this.#to, this.#buffer.length - this.#to, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Windows tells the end of a pipe as an error.
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      return -1;
    }
  }
}
