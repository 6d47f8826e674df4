import type { Socket } from "node:net";
import type { StdinSource } from "./stdin-source.ts";

/** Largest piece that is taken when the child is woken; the rest is read from the descriptor. */
const pieceBytes = 65_536;

/**
 * Stays awake for a moment where nothing is there to read: to be woken takes whoever writes, and whoever is woken,
 * longer than most calls. Then it sleeps in the event loop. Standard input does not block any more.
 */
export class AwakeStdin {
  readonly #source: StdinSource;
  readonly #spinUs: number;
  readonly #socket: Socket;
  #woken: () => void = () => undefined;

  /** `null` where nobody is to stay awake, or where standard input is nothing that the event loop can wait for. */
  static open(source: StdinSource, spinUs: number): AwakeStdin | null {
    if (spinUs === 0) return null;
    try {
      return new AwakeStdin(source, spinUs);
    } catch {
      return null;
    }
  }

  private constructor(source: StdinSource, spinUs: number) {
    this.#source = source;
    this.#spinUs = spinUs;
    // Loaded here, so that a child is ready some milliseconds sooner.
    const net = process.getBuiltinModule("node:net");
    this.#socket = new net.Socket({
      fd: 0,
      readable: true,
      writable: false,
      onread: {
        buffer: Buffer.allocUnsafeSlow(pieceBytes),
        // `false` stops the reading: between two sleeps all is read from the descriptor, in order.
        callback: (size, buffer) => {
          this.#source.feed(buffer.subarray(0, size));
          this.#woken();
          return false;
        },
      },
    });
    this.#socket
      // It would begin to read at once.
      .pause()
      .on("end", () => this.#ended())
      .on("error", () => this.#ended());
  }

  /** `true` when the next frame has begun to come, or nothing will any more; else a promise of that. */
  next(): true | Promise<void> {
    if (this.#source.poll(this.#spinUs)) return true;
    return new Promise((woken) => {
      this.#woken = woken;
      this.#socket.resume();
    });
  }

  #ended(): void {
    this.#source.end();
    this.#woken();
  }
}
