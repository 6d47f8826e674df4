import {
  keyText,
  type KeyedQueue,
  type StateKey,
  type StateRecord,
  type StateStore,
  type StateWrite,
} from "../state/index.ts";
import type { Binding } from "./plan.ts";

/** The state store, and the queue that serializes access to it. */
export interface StateAccess {
  readonly store: StateStore;
  readonly queue: KeyedQueue;
}

interface Slot {
  readonly key: StateKey;
  record: StateRecord | null;
}

/**
 * The state of all hooks that one decision may run: locked for this decision within the process, read once, and
 * written all together. What a hook sees is what it was when the decision began, in its second run too.
 */
export class DecisionState {
  /** Whether state could not be locked, read or written; stateful hooks must not run without it. */
  unavailable = false;
  readonly #slots = new Map<Binding, Slot>();
  readonly #keys: string[] = [];
  readonly #access: StateAccess;
  #acquired = false;

  constructor(access: StateAccess, bindings: readonly Binding[], tenant: string, session: string) {
    this.#access = access;
    for (const binding of bindings) {
      const { name: hook, state } = binding.hook;
      if (state === null) continue;
      const key: StateKey = {
        tenant,
        hook,
        scope: state.scope,
        session: state.scope === "session" ? session : "",
      };
      this.#slots.set(binding, { key, record: null });
      this.#keys.push(keyText(key));
    }
  }

  /** Locks and reads the state. Synchronous if no other decision holds it and the store is synchronous. */
  acquire(): void | Promise<void> {
    const taken = this.#access.queue.acquire(this.#keys);
    if (typeof taken !== "boolean") return taken.then((ok) => this.#load(ok));
    return this.#load(taken);
  }

  /** Prior state of a hook as JSON text; `null` where it keeps none or has none. */
  textOf(binding: Binding): string | null {
    return this.#slots.get(binding)?.record?.value ?? null;
  }

  hasSlot(binding: Binding): boolean {
    return this.#slots.has(binding);
  }

  /**
   * Writes what hooks have set, all or nothing.
   *
   * @returns `false` on a conflicting write by another process, or, with `unavailable` set, if the store failed.
   */
  commit(values: ReadonlyMap<Binding, string>): boolean | Promise<boolean> {
    const writes: StateWrite[] = [];
    for (const [binding, text] of values) {
      const slot = this.#slots.get(binding);
      if (!slot) continue;
      // `null` deletes the state: JSON `null` and no state are the same.
      const value = text === "null" ? null : text;
      if (value === null && slot.record === null) continue;
      writes.push({ key: slot.key, value, expected: slot.record?.version ?? 0 });
    }
    if (writes.length === 0) return true;
    try {
      const done = this.#access.store.commit(writes);
      return done instanceof Promise ? done.catch(() => this.#fail()) : done;
    } catch {
      return this.#fail();
    }
  }

  /** Prior state by hook, as JSON text. */
  prior(): { [hook: string]: string | null } {
    return Object.fromEntries(
      [...this.#slots].map(([binding, { record }]) => [binding.hook.name, record?.value ?? null]),
    );
  }

  /** Releases the locks. */
  release(): void {
    if (!this.#acquired) return;
    this.#acquired = false;
    this.#access.queue.release(this.#keys);
  }

  #fail(): false {
    this.unavailable = true;
    return false;
  }

  #load(held: boolean): void | Promise<void> {
    this.#acquired = held;
    if (!held) {
      this.unavailable = true;
      return;
    }
    const waiting: Promise<void>[] = [];
    try {
      for (const slot of this.#slots.values()) {
        const read = this.#access.store.read(slot.key);
        if (read instanceof Promise) waiting.push(read.then((record) => void (slot.record = record)));
        else slot.record = read;
      }
    } catch {
      this.#fail();
    }
    if (waiting.length === 0) return;
    return Promise.all(waiting).then(
      () => undefined,
      () => void this.#fail(),
    );
  }
}
