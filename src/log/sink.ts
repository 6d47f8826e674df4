/** Where lines go. One batch at a time is written. */
export interface Sink {
  /**
   * Writes whole lines. Rejects where it cannot; nothing is lost then, and `resume` goes on where it stopped.
   *
   * @param lines each with its line end.
   */
  write(lines: readonly string[]): Promise<void>;
  /** Writes what a failed `write` or `resume` has left. */
  resume(): Promise<void>;
  /** Forces to the disk what was written, where there is a disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Hands each line to a function of the host. A call that fails is made again with the same line. */
export class FunctionSink implements Sink {
  readonly #take: (line: string) => void | Promise<void>;
  #rest: string[] = [];

  constructor(take: (line: string) => void | Promise<void>) {
    this.#take = take;
  }

  write(lines: readonly string[]): Promise<void> {
    this.#rest.push(...lines);
    return this.resume();
  }

  async resume(): Promise<void> {
    for (let line = this.#rest[0]; line !== undefined; line = this.#rest[0]) {
      const taken = this.#take(line.slice(0, -1));
      if (taken instanceof Promise) await taken;
      this.#rest.shift();
    }
  }

  async sync(): Promise<void> {
    // What the function does with a line is its own affair.
  }

  async close(): Promise<void> {
    // Nothing is held.
  }
}
