import type { RawMessage } from "./message.ts";

interface Slot {
  /** `undefined`: not decided yet. `null`: nothing is sent. */
  message: RawMessage | null | undefined;
}

/**
 * The outgoing messages of one direction of a session. They are sent in the order in which their places were reserved,
 * however long each decision takes: the order of calls, and of progress before its result, is significant.
 */
export class OrderedOutbox {
  readonly #send: (message: RawMessage) => void;
  readonly #slots: Slot[] = [];

  constructor(send: (message: RawMessage) => void) {
    this.#send = send;
  }

  /** How many places are reserved for messages that are not sent yet. */
  get waiting(): number {
    return this.#slots.length;
  }

  push(message: RawMessage): void {
    if (this.#slots.length === 0) this.#send(message);
    else this.#slots.push({ message });
  }

  /** Reserves a place. The returned function fills it, once, with a message or with nothing. */
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
    // Removed first: sending may add the next message.
    for (const { message } of this.#slots.splice(0, done)) if (message) this.#send(message);
  }
}
