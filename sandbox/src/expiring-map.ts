/** A map whose entries expire after a fixed time. Bounded: the oldest are evicted first. */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();
  readonly #ttlMs: number;
  readonly #maxEntries: number;

  /** @param ttlMs lifetime of an entry, @param maxEntries capacity */
  constructor(ms: number, most: number) {
    this.#ttlMs = ms;
    this.#maxEntries = most;
  }

  get(key: string): V | undefined {
    // Fast path: read on every call, and nearly always empty.
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (performance.now() < entry.until) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** Remaining lifetime of an entry, in milliseconds. */
  remainingMs(key: string): number {
    return Math.max(0, Math.ceil((this.#entries.get(key)?.until ?? 0) - performance.now()));
  }

  /** Adds or renews an entry. */
  set(key: string, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, until: performance.now() + this.#ttlMs });
    const oldest = this.#entries.keys().next().value;
    if (this.#entries.size > this.#maxEntries && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Removes the entries whose keys match. */
  deleteWhere(matches: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}
