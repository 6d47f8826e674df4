/** Lets one holder at a time have a key; others wait in the order in which they came. */
export class KeyedQueue {
  private readonly waiters = new Map<string, (() => void)[]>();
  private readonly maxWaiting: number;

  /** @param maxWaiting most that wait for one key. */
  constructor(maxWaiting = 1_000) {
    this.maxWaiting = maxWaiting;
  }

  /**
   * Takes all keys, or none. Everybody takes them in the same order, so that no two wait for each other.
   *
   * @returns at once where all are free; `false`, or a promise of it, where too many wait already.
   */
  acquire(keys: readonly string[]): boolean | Promise<boolean> {
    const sorted = keys.length > 1 ? [...new Set(keys)].sort() : keys;
    for (let index = 0; index < sorted.length; index++) {
      if (!this.tryAcquire(sorted[index] as string)) return this.acquireFrom(sorted, index);
    }
    return true;
  }

  /** Gives keys back, and each to the next who waits for it. */
  release(keys: readonly string[]): void {
    for (const key of keys.length > 1 ? new Set(keys) : keys) {
      const next = this.waiters.get(key)?.shift();
      if (next) next();
      else this.waiters.delete(key);
    }
  }

  private tryAcquire(key: string): boolean {
    if (this.waiters.has(key)) return false;
    this.waiters.set(key, []);
    return true;
  }

  private async acquireFrom(keys: readonly string[], start: number): Promise<boolean> {
    for (let index = start; index < keys.length; index++) {
      const key = keys[index] as string;
      if (this.tryAcquire(key)) continue;
      const queue = this.waiters.get(key) as (() => void)[];
      if (queue.length >= this.maxWaiting) {
        this.release(keys.slice(0, index));
        return false;
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    return true;
  }
}
