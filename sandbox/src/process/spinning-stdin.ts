import type { Socket } from "node:net";
import type { StdinSource } from "./stdin-source.ts";

/** Bytes read by the wake-up event at most; the rest is read from the descriptor. */
const pieceBytes = 65_536;

/**
 * Spin-waits on standard input before it sleeps in the event loop: a wake-up costs both processes more time than most
 * calls take. Makes standard input non-blocking.
 */
export class SpinningStdin {
  readonly #source: StdinSource;
  readonly #spinUs: number;
  readonly #socket: Socket;
  #wake: () => void = () => undefined;

  /** `null` if spinning is off, or if the event loop cannot wait for standard input. */
  static open(source: StdinSource, spinUs: number): SpinningStdin | null {
    if (spinUs === 0) return null;
    try {
      return new SpinningStdin(source, spinUs);
    } catch {
      return null;
    }
  }

  private constructor(source: StdinSource, spinUs: number) {
    this.#source = source;
    this.#spinUs = spinUs;
    // Loaded lazily: a child is ready some milliseconds sooner.
    const net = process.getBuiltinModule("node:net");
    this.#socket = new net.Socket({
      fd: 0,
      readable: true,
      writable: false,
      onread: {
        buffer: Buffer.allocUnsafeSlow(pieceBytes),
        // `false` stops reading: between two sleeps everything is read from the descriptor, in order.
        callback: (size, buffer) => {
          this.#source.feed(buffer.subarray(0, size));
          this.#wake();
          return false;
        },
      },
    });
    this.#socket
      // Otherwise it starts reading immediately.
      .pause()
      .on("end", () => this.#ended())
      .on("error", () => this.#ended());
  }

  /** `true` if the next frame has begun to arrive, or the stream has ended; otherwise a promise of that. */
  next(): true | Promise<void> {
    if (this.#source.poll(this.#spinUs)) return true;
    return new Promise((woken) => {
      this.#wake = woken;
      this.#socket.resume();
    });
  }

  #ended(): void {
    this.#source.end();
    this.#wake();
  }
}
