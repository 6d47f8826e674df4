import type { StateKey, StateStore } from "../state/store.ts";
import { RetryCounters, type RetryKey } from "./retry-limit.ts";

/**
 * Retry counters that a restart does not set back: they lie in the host's store too. Of a store that answers later only
 * the counts of this process are known, since a verdict is judged at once.
 *
 * A store that fails keeps nothing and stops nothing: the counts of this process hold.
 */
export class KeptRetryCounters extends RetryCounters {
  private readonly store: StateStore;

  constructor(store: StateStore) {
    super();
    this.store = store;
  }

  override count(key: RetryKey): number {
    return super.count(key) || this.stored(key);
  }

  override add(key: RetryKey): void {
    const count = this.count(key);
    if (super.count(key) < count) this.restore(key, count);
    super.add(key);
    this.write(key, String(count + 1));
  }

  override reset(key: RetryKey): void {
    if (this.count(key) === 0) return;
    super.reset(key);
    this.write(key, null);
  }

  /** Takes over what an earlier process counted. */
  private restore(key: RetryKey, count: number): void {
    for (let known = super.count(key); known < count; known++) super.add(key);
  }

  private stored(key: RetryKey): number {
    try {
      const record = this.store.read(place(key));
      if (record instanceof Promise) record.catch(() => undefined);
      if (record === null || record instanceof Promise) return 0;
      const count = Number(record.value);
      return Number.isSafeInteger(count) && count > 0 ? count : 0;
    } catch {
      return 0;
    }
  }

  private write(key: RetryKey, value: string | null): void {
    const at = place(key);
    try {
      const before = this.store.read(at);
      if (before instanceof Promise) {
        void before
          .then((record) => this.store.commit([{ key: at, value, expected: record?.version ?? 0 }]))
          .catch(() => undefined);
      } else {
        const done = this.store.commit([{ key: at, value, expected: before?.version ?? 0 }]);
        if (done instanceof Promise) done.catch(() => undefined);
      }
    } catch {
      // As said above.
    }
  }
}

/** Names of hooks hold no space: a place of no hook's own state. */
function place({ tenant, session, event, hook }: RetryKey): StateKey {
  return { tenant, hook: `${hook} ${event}`, scope: "session", session };
}
