import type { Socket } from "node:net";

/** What a hook process prints and how it ends. */
export interface Outcome {
  /** 0: `out` is read. 2: refused; `out` is read too, and `err` is the reason. */
  readonly exit: 0 | 2;
  /** JSON text for standard output. */
  readonly out: string;
  /** Text for standard error. */
  readonly err: string;
}

/** Largest event and largest answer, in bytes. */
export const maxEventBytes = 8 * 1_048_576;
export const largestAnswer = 16 * 1_048_576;
/** Longest line that says how much follows, or who speaks. */
const longestLine = 65_536;

/** Why a peer is not to be believed. */
export class WireError extends Error {}

/** Reads lines and counted bytes from a socket, with a limit on each. */
export class WireReader {
  #buffered: Buffer = Buffer.alloc(0);
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  readonly #socket: Socket;
  #waitsFor = longestLine;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data: Buffer) => {
      this.#buffered = this.#buffered.length === 0 ? data : Buffer.concat([this.#buffered, data]);
      // A peer that sends more than anybody asked for is not read on.
      if (this.#buffered.length > this.#waitsFor + longestLine) socket.pause();
      this.#wake?.();
    });
    const end = (error?: Error): void => {
      this.#failure ??= error ?? new WireError("the connection was closed");
      this.#wake?.();
    };
    socket.on("error", end);
    socket.on("close", () => end());
    socket.on("end", () => end());
  }

  /** One line of JSON, an object. */
  async message(): Promise<{ readonly [field: string]: unknown }> {
    for (;;) {
      const at = this.#buffered.indexOf(10);
      if (at > longestLine || (at < 0 && this.#buffered.length > longestLine)) {
        throw new WireError("a line is too long");
      }
      if (at >= 0) {
        const line = this.#take(at + 1).toString("utf8");
        return asObject(line);
      }
      await this.#more(longestLine);
    }
  }

  async bytes(count: number): Promise<Buffer> {
    while (this.#buffered.length < count) await this.#more(count);
    return this.#take(count);
  }

  #take(count: number): Buffer {
    const taken = this.#buffered.subarray(0, count);
    this.#buffered = this.#buffered.subarray(count);
    return taken;
  }

  async #more(count: number): Promise<void> {
    if (this.#failure) throw this.#failure;
    this.#waitsFor = count;
    this.#socket.resume();
    await new Promise<void>((done) => (this.#wake = done));
    this.#wake = null;
  }
}

/** A count that a peer names. */
export function countOf(value: unknown, most: number): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new WireError("a count is wrong");
}

export function send(socket: Socket, message: object, body?: string | Uint8Array): void {
  socket.write(`${JSON.stringify(message)}\n`);
  if (body !== undefined && body.length > 0) socket.write(body);
}

function asObject(line: string): { readonly [field: string]: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new WireError("a line is no JSON");
  }
  if (typeof value !== "object" || value === null) throw new WireError("a line is no object");
  return value as { readonly [field: string]: unknown };
}
