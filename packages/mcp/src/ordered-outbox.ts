import type { RawMessage } from "./message.ts";

interface Slot {
  /** `undefined`: not known yet. `null`: nothing is sent. */
  message: RawMessage | null | undefined;
}

/**
 * One direction of a session. Messages leave in the order in which their places were taken, whatever takes how long to
 * decide: the order in which a client calls, or a server reports progress before a result, means something.
 */
export class Lane {
  readonly #send: (message: RawMessage) => void;
  readonly #slots: Slot[] = [];

  constructor(send: (message: RawMessage) => void) {
    this.#send = send;
  }

  /** How many places are taken by messages that have not left yet. */
  get waiting(): number {
    return this.#slots.length;
  }

  push(message: RawMessage): void {
    if (this.#slots.length === 0) this.#send(message);
    else this.#slots.push({ message });
  }

  /** Takes a place. What is returned fills it, once, with a message or with nothing. */
  reserve(): (message: RawMessage | null) => void {
    const slot: Slot = { message: undefined };
    this.#slots.push(slot);
    return (message) => {
      if (slot.message !== undefined) return;
      slot.message = message;
      this.#flush();
    };
  }

  #flush(): void {
    let done = 0;
    for (const { message } of this.#slots) {
      if (message === undefined) break;
      done++;
    }
    // Taken out first: sending may bring the next message in.
    for (const { message } of this.#slots.splice(0, done)) if (message) this.#send(message);
  }
}
