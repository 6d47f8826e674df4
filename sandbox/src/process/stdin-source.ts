import type { readSync } from "node:fs";
import type { ByteSource } from "./request.ts";

const usualBytes = 65_536;
/** A larger buffer, grown for one frame, is released once empty. */
const keptBytes = 1_048_576;

/** Reads without result within a frame before this process yields the core. */
const maxReads = 32;
/** How long it yields, in milliseconds. */
const pauseMs = 0.1;

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Standard input as lines and texts of known size; within a frame it waits until the rest has arrived. */
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

  /** Polls for `us` microseconds, at least once; `true` if there are bytes, or the stream has ended. */
  poll(us: number): boolean {
    if (this.#to > this.#from || this.#ended) return true;
    this.#from = this.#to = 0;
    const until = performance.now() + us / 1_000;
    // EAGAIN throws: avoid capturing stack traces.
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

  /** Takes bytes that the event loop has read. Nothing may be left unread here. */
  feed(bytes: Uint8Array): void {
    if (bytes.length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(bytes.length);
    this.#buffer.set(bytes);
    this.#from = 0;
    this.#to = bytes.length;
  }

  /** Marks the end of the stream, as seen by the event loop. */
  end(): void {
    this.#ended = true;
  }

  /** Reads until at least `wanted` bytes are unread; `false` at the end of the stream. */
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
    for (let reads = 1; !this.#ended; reads++) {
      const count = this.#tryRead();
      if (count >= 0) return count;
      if (reads > maxReads) Atomics.wait(pause, 0, 0, pauseMs);
    }
    return 0;
  }

  /** Number of bytes read; 0 at the end of the stream, -1 if a non-blocking descriptor has none. */
  #tryRead(): number {
    try {
      return this.#read(0, this.#buffer, this.#to, this.#buffer.length - this.#to, null);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Windows reports the end of a pipe as an error.
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      return -1;
    }
  }
}
