import type { Call } from "@hookwarden/sandbox";
import type { Circuit, CircuitBreaker } from "@hookwarden/sandbox/resilience";
import type { StateKey, StateStore } from "../state/index.ts";

/** Longest wait for the store, in milliseconds. */
const maxReadMs = 1_000;

/** Keeps the circuits of a breaker in a state store. A store that fails keeps nothing and stops nothing. */
export class BreakerStore {
  readonly #store: StateStore;
  readonly #breaker: CircuitBreaker;
  readonly #maxKeys: number;
  /** Circuits that have been read, by key; the oldest are forgotten first. */
  readonly #loaded = new Set<string>();

  constructor(store: StateStore, breaker: CircuitBreaker, maxKeys: number) {
    this.#store = store;
    this.#breaker = breaker;
    this.#maxKeys = maxKeys;
  }

  /** Reads what an earlier process has seen, once for each key. Synchronous if the store is. */
  load(key: string, call: Call): void | Promise<void> {
    if (this.#loaded.has(key)) return;
    try {
      const found = this.#store.read(stateKeyOf(call));
      if (!(found instanceof Promise)) return this.#restore(key, found?.value);
      const late = new Promise<null>((resolve) => setTimeout(resolve, maxReadMs, null).unref());
      return Promise.race([found, late]).then(
        (record) => this.#restore(key, record?.value),
        () => this.#restore(key, undefined),
      );
    } catch {
      this.#restore(key, undefined);
    }
  }

  /** Writes the circuit of a key. */
  save(key: string, call: Call): void {
    const circuit = this.#breaker.get(key);
    const value = circuit
      ? JSON.stringify({ failures: circuit.failures, openings: circuit.openings, until: circuit.until })
      : null;
    void this.#write(stateKeyOf(call), value).catch(() => undefined);
  }

  forget(matches: (key: string) => boolean): void {
    for (const key of this.#loaded) if (matches(key)) this.#loaded.delete(key);
  }

  async #write(key: StateKey, value: string | null): Promise<void> {
    const before = await this.#store.read(key);
    await this.#store.commit([{ key, value, expected: before?.version ?? 0 }]);
  }

  #restore(key: string, text: string | undefined): void {
    // Another call may have read the same circuit in the meantime.
    if (this.#loaded.has(key)) return;
    this.#loaded.add(key);
    const [oldest] = this.#loaded;
    if (this.#loaded.size > this.#maxKeys && oldest !== undefined) this.#loaded.delete(oldest);
    const circuit = text === undefined ? null : parseCircuit(text);
    if (circuit && !this.#breaker.get(key)) this.#breaker.restore(key, circuit);
  }
}

/** Other programs write to a store too: a value of another form counts for nothing. */
function parseCircuit(text: string): Circuit | null {
  try {
    const { failures, openings, until } = JSON.parse(text) as { readonly [name: string]: unknown };
    if (!isCount(failures) || !isCount(openings) || typeof until !== "number") return null;
    return { failures, openings, until, cause: undefined };
  } catch {
    return null;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Names of hooks contain no space: no hook's own state has such a key. */
function stateKeyOf({ tenant, program }: Call): StateKey {
  return { tenant, hook: `breaker ${program.key}`, scope: "tenant", session: "" };
}
