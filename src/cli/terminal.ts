import { styleText } from "node:util";
import { HookwardenError } from "../errors/index.ts";

export type Style = Parameters<typeof styleText>[0];

/** Width where the output goes to no terminal, and the least width that tables are drawn for. */
const plainWidth = 80;
const minWidth = 60;
/** How often a line of progress is drawn again, in milliseconds. */
const progressMs = 100;

/** Standard output and standard error, and the signals that end a command early. */
export class Terminal {
  readonly #stdout = process.stdout;
  readonly #stderr = process.stderr;
  readonly #ending = new AbortController();
  #failure: Error | null = null;
  #progressAt = 0;
  #progressDrawn = false;
  #exitCode: number | null = null;

  constructor() {
    this.#stdout.on("error", (error: NodeJS.ErrnoException) => {
      // The reader has closed the pipe, as `head` does.
      if (error.code !== "EPIPE") this.#failure ??= error;
      this.end(error.code === "EPIPE" ? 0 : null);
    });
    this.#stderr.on("error", () => this.end(null));
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      process.on(signal, () => {
        // The second signal means: do not wait for an orderly shutdown.
        if (this.#exitCode === code) process.exit(code);
        this.end(code);
      });
    }
  }

  /** Aborted when the command should stop: at a signal, or when the reader of its output is gone. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The exit status that a signal or a closed pipe asks for; `null` where nothing has. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** Columns of a line of output. */
  get width(): number {
    return this.#stdout.isTTY ? Math.max(minWidth, this.#stdout.columns ?? plainWidth) : plainWidth;
  }

  end(code: number | null): void {
    this.#exitCode ??= code;
    this.#ending.abort();
  }

  /** Says that the signal was no interruption: the command runs until it is stopped, and has shut down in order. */
  endedInOrder(): void {
    this.#exitCode = 0;
  }

  /** Writes a line to standard output, with backpressure. */
  async line(text: string): Promise<void> {
    if (this.#stdout.destroyed || this.#stdout.errored) return;
    if (this.#stdout.isTTY) this.clearProgress();
    if (this.#stdout.write(`${text}\n`)) return;
    await new Promise<void>((done) => {
      const settle = (): void => {
        this.#stdout.off("drain", settle).off("close", settle);
        this.signal.removeEventListener("abort", settle);
        done();
      };
      this.#stdout.on("drain", settle).on("close", settle);
      this.signal.addEventListener("abort", settle);
    });
  }

  /** Writes a line to standard error. */
  note(text: string): void {
    this.clearProgress();
    this.#stderr.write(`${text}\n`);
  }

  /** Colours a text for standard output; as it is where that is no terminal, or `NO_COLOR` is set. */
  style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#stdout });
  }

  styleError(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#stderr });
  }

  /** Shows how far long work is, where standard error is a terminal. The next line takes its place. */
  progress(text: string): void {
    if (!this.#stderr.isTTY) return;
    const now = performance.now();
    if (now - this.#progressAt < progressMs) return;
    this.#progressAt = now;
    this.#progressDrawn = true;
    this.#stderr.write(`\r\u001b[K${text}`);
  }

  clearProgress(): void {
    if (!this.#progressDrawn) return;
    this.#progressDrawn = false;
    this.#stderr.write("\r\u001b[K");
  }

  /** @throws {HookwardenError} where output was lost. */
  check(): void {
    if (!this.#failure) return;
    throw new HookwardenError("internal", `standard output cannot be written to: ${this.#failure.message}`);
  }
}
