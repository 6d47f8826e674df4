/** Lets one holder at a time have a key; others wait in the order in which they came. */
export class KeyedQueue {
  private readonly waiting = new Map<string, (() => void)[]>();
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
  take(keys: readonly string[]): boolean | Promise<boolean> {
    const sorted = keys.length > 1 ? [...new Set(keys)].sort() : keys;
    for (let index = 0; index < sorted.length; index++) {
      if (!this.tryTake(sorted[index] as string)) return this.takeFrom(sorted, index);
    }
    return true;
  }

  /** Gives keys back, and each to the next who waits for it. */
  give(keys: readonly string[]): void {
    for (const key of keys.length > 1 ? new Set(keys) : keys) {
      const next = this.waiting.get(key)?.shift();
      if (next) next();
      else this.waiting.delete(key);
    }
  }

  private tryTake(key: string): boolean {
    if (this.waiting.has(key)) return false;
    this.waiting.set(key, []);
    return true;
  }

  private async takeFrom(keys: readonly string[], start: number): Promise<boolean> {
    for (let index = start; index < keys.length; index++) {
      const key = keys[index] as string;
      if (this.tryTake(key)) continue;
      const queue = this.waiting.get(key) as (() => void)[];
      if (queue.length >= this.maxWaiting) {
        this.give(keys.slice(0, index));
        return false;
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    }
    return true;
  }
}
