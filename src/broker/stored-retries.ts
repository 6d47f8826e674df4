import type { StateKey, StateRecord, StateStore } from "../state/index.ts";
import { RetryCounters, type RetryKey, retryLimit } from "./retry-limit.ts";

/** Maximum attempts to write a count when other processes write concurrently. */
const maxTries = 5;

/**
 * Retry counters that survive a restart and are shared by all processes with the same store: they are written through to
 * the host's store. With an asynchronous store, counts are fetched before a decision, and the decision waits until the
 * new ones are written.
 *
 * If the store fails, decisions go on with this process's counts.
 */
export class StoredRetryCounters extends RetryCounters {
  readonly #store: StateStore;
  /** Whether the store has returned a promise. */
  #isAsyncStore = false;
  #pendingWrites: Promise<void>[] = [];

  constructor(store: StateStore) {
    super();
    this.#store = store;
  }

  override fetch(keys: readonly RetryKey[]): Promise<void> | null {
    const reads = keys.map((key) => {
      const record = this.#read(key);
      if (!(record instanceof Promise)) return undefined;
      this.#isAsyncStore = true;
      // The store is authoritative; if it fails, fall back to this process's count.
      return record.then((found) => found !== undefined && this.#set(key, countIn(found)));
    });
    const waiting = reads.filter((read) => read !== undefined);
    return waiting.length > 0 ? Promise.all(waiting).then(() => undefined) : null;
  }

  override settle(): Promise<void> | null {
    if (this.#pendingWrites.length === 0) return null;
    return Promise.all(this.#pendingWrites.splice(0)).then(() => undefined);
  }

  override count(key: RetryKey): number {
    const known = super.count(key);
    if (known > 0 || this.#isAsyncStore) return known;
    const record = this.#read(key);
    return record === undefined || record instanceof Promise ? 0 : countIn(record);
  }

  override add(key: RetryKey): void {
    const count = this.count(key);
    if (super.count(key) < count) this.#set(key, count);
    super.add(key);
    this.#write(key, (before) => countIn(before) + 1, count + 1);
  }

  override reset(key: RetryKey): void {
    if (this.count(key) === 0) return;
    super.reset(key);
    this.#write(key, () => 0, 0);
  }

  /** Adopts a count from the store. Counts above the limit are equivalent to it. */
  #set(key: RetryKey, count: number): void {
    super.reset(key);
    for (let known = 0; known < Math.min(count, retryLimit); known++) super.add(key);
  }

  /** `undefined` where the store fails. */
  #read(key: RetryKey): StateRecord | null | undefined | Promise<StateRecord | null | undefined> {
    try {
      const record = this.#store.read(storeKey(key));
      return record instanceof Promise ? record.catch(() => undefined) : record;
    } catch {
      return undefined;
    }
  }

  #write(key: RetryKey, next: (before: StateRecord | null) => number, here: number): void {
    const record = this.#read(key);
    if (record instanceof Promise) {
      this.#pendingWrites.push(this.#writeAsync(key, next, record).catch(() => undefined));
      return;
    }
    if (record === undefined) return;
    try {
      const done = this.#store.commit([writeOf(key, record, here)]);
      if (done instanceof Promise)
        this.#pendingWrites.push(done.then(() => undefined).catch(() => undefined));
    } catch {
      // A failing store does not stop decisions.
    }
  }

  async #writeAsync(
    key: RetryKey,
    next: (before: StateRecord | null) => number,
    first: Promise<StateRecord | null | undefined>,
  ): Promise<void> {
    let record = await first;
    for (let tries = 0; tries < maxTries && record !== undefined; tries++) {
      if (await this.#store.commit([writeOf(key, record, next(record))])) return;
      record = await this.#read(key);
    }
  }
}

function writeOf(key: RetryKey, before: StateRecord | null, count: number) {
  return { key: storeKey(key), value: count === 0 ? null : String(count), expected: before?.version ?? 0 };
}

function countIn(record: StateRecord | null): number {
  const count = Number(record?.value);
  return Number.isSafeInteger(count) && count > 0 ? count : 0;
}

/** Cannot collide with a hook's own state: names of hooks contain no space. */
function storeKey({ tenant, session, event, hook }: RetryKey): StateKey {
  return { tenant, hook: `${hook} ${event}`, scope: "session", session };
}
