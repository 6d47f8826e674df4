/** A mutex per key; waiters acquire it in FIFO order. */
export class KeyedQueue {
  readonly #waiters = new Map<string, (() => void)[]>();
  readonly #maxWaiting: number;

  /** @param maxWaiting maximum number of waiters per key. */
  constructor(maxWaiting = 1_000) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Acquires all keys, or none. Keys are acquired in sorted order, which rules out deadlocks.
   *
   * @returns `true`, synchronously if all keys are free; `false` if a key has too many waiters.
   */
  acquire(keys: readonly string[]): boolean | Promise<boolean> {
    const sorted = keys.length > 1 ? [...new Set(keys)].sort() : keys;
    for (let index = 0; index < sorted.length; index++) {
      if (!this.#tryAcquire(sorted[index] as string)) return this.#acquireFrom(sorted, index);
    }
    return true;
  }

  /** Releases keys, each to its next waiter. */
  release(keys: readonly string[]): void {
    for (const key of keys.length > 1 ? new Set(keys) : keys) {
      const next = this.#waiters.get(key)?.shift();
      if (next) next();
      else this.#waiters.delete(key);
    }
  }

  #tryAcquire(key: string): boolean {
    if (this.#waiters.has(key)) return false;
    this.#waiters.set(key, []);
    return true;
  }

  async #acquireFrom(keys: readonly string[], start: number): Promise<boolean> {
    for (let index = start; index < keys.length; index++) {
      const key = keys[index] as string;
      if (this.#tryAcquire(key)) continue;
      const queue = this.#waiters.get(key) as (() => void)[];
      if (queue.length >= this.#maxWaiting) {
        this.release(keys.slice(0, index));
        return false;
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    return true;
  }
}
