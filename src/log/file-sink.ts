import { fstat } from "node:fs";
import { promisify } from "node:util";
import sonic from "sonic-boom";
import { HookwardenError } from "../errors/index.ts";
import type { Sink } from "./sink.ts";

const stat = promisify(fstat);
/** Largest single write, in bytes. */
const maxWrite = 4 * 1_048_576;

/** Appends lines to an open file, or to standard output. */
export class FileSink implements Sink {
  readonly #boom: sonic.SonicBoom;
  readonly #fd: number;
  /** What could not be handed over yet. */
  #held = "";
  /** How long the file must be before the next write; `null` for what is no file. */
  #size: number | null;

  /** @param size length of the file now, in bytes; `null` for a stream. The descriptor belongs to the sink from here on. */
  constructor(fd: number, size: number | null) {
    this.#fd = fd;
    this.#size = size;
    // A least length of 1: with 0 it would not flush what has been written already.
    this.#boom = new sonic.SonicBoom({ fd, sync: false, minLength: 1, maxWrite });
    // Errors are seen where the write is waited for; without a listener they would end the process.
    this.#boom.on("error", () => undefined);
    this.#boom.on("write", (bytes: number) => {
      if (this.#size !== null) this.#size += bytes;
    });
  }

  async write(lines: readonly string[]): Promise<void> {
    const text = lines.join("");
    try {
      await this.#checkSize();
    } catch (error) {
      // Kept, so that a later `resume` writes it.
      this.#held += text;
      throw error;
    }
    await this.#settled(() => this.#boom.write(text));
  }

  async resume(): Promise<void> {
    await this.#checkSize();
    const held = this.#held;
    this.#held = "";
    await this.#settled(() => {
      if (held !== "") this.#boom.write(held);
      this.#boom.flush(() => undefined);
    });
  }

  async sync(): Promise<void> {
    await new Promise<void>((done, failed) => this.#boom.flush((error) => (error ? failed(error) : done())));
  }

  async close(): Promise<void> {
    if (this.#fd <= 2) return;
    await new Promise<void>((done) => {
      this.#boom.once("close", done);
      this.#boom.end();
    });
  }

  /** Another writer would fork the chain: both would go on from the same record. */
  async #checkSize(): Promise<void> {
    if (this.#size === null) return;
    const { size } = await stat(this.#fd);
    if (size === this.#size) return;
    throw new HookwardenError(
      "log-failed",
      size < this.#size
        ? "the log file has become shorter than what was written to it"
        : "another process writes to the log file; every log needs a file of its own",
    );
  }

  #settled(start: () => void): Promise<void> {
    return new Promise((done, failed) => {
      const drained = (): void => {
        this.#boom.off("error", broken);
        done();
      };
      const broken = (error: Error): void => {
        this.#boom.off("drain", drained);
        failed(error);
      };
      this.#boom.once("drain", drained);
      this.#boom.once("error", broken);
      start();
    });
  }
}
