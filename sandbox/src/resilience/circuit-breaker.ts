export interface CircuitBreakerOptions {
  /** Number of failures that opens a circuit. */
  readonly failures: number;
  /**
   * Share of the calls in the window that must have failed as well, above 0 and up to 1. Default 1: only consecutive
   * failures count, so that one success starts the count again.
   */
  readonly failureShare?: number;
  /** Window over which calls are counted, in milliseconds. Default: unlimited. */
  readonly windowMs?: number;
  /** How long a circuit stays open for the first time, in milliseconds; twice as long each time that it reopens. */
  readonly openMs: number;
  /** Longest time that it stays open, in milliseconds. Default: `openMs`, so that it does not grow. */
  readonly maxOpenMs?: number;
  /** Successes in half-open that close it. Default 1. */
  readonly successes?: number;
  /** Calls admitted at the same time while it is half-open. Default 1. */
  readonly maxProbes?: number;
  /**
   * How long its openings are remembered after it has closed, in milliseconds: if it opens again within this time, it
   * stays open for twice as long as the last time. Default 0.
   */
  readonly rememberMs?: number;
  /** Number of circuits that are remembered; those that were not used for longest are forgotten first. */
  readonly maxCircuits: number;
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number;
}

/** `closed`: calls are made. `open`: they are refused. `half-open`: some are made, to find out. */
export type CircuitState = "closed" | "open" | "half-open";

/** What a circuit breaker knows under one key. */
export interface Circuit<T = undefined> {
  /** Failures in a row, or in the current window. */
  readonly failures: number;
  /** How many times in a row it has opened, across the closings that are remembered. 0: it is closed. */
  readonly openings: number;
  /** Open until then, in milliseconds of the clock. */
  readonly until: number;
  /** Passed to the failure that opened it last. */
  readonly cause: T | undefined;
}

type Writable<T> = { -readonly [K in keyof Circuit<T>]: Circuit<T>[K] };

interface Entry<T> extends Writable<T> {
  calls: number;
  windowStart: number;
  successes: number;
  probes: number;
  /** `openings` when it was last closed. */
  pastOpenings: number;
  /** Until when those count, in milliseconds of the clock. */
  rememberedUntil: number;
}

/**
 * A circuit breaker: what fails repeatedly is not tried for a while. One circuit for each key, which is usually a tenant
 * and a hook. See docs/overload.md for the states, and for where the product uses it.
 *
 * ```text
 *             failures                    period over
 *   closed ───────────────▶ open ◀──────────────────────▶ half-open
 *      ▲                           failure: twice as long     │
 *      └──────────────────────────────────────────────────────┘
 *                             successes
 * ```
 *
 * Successes of keys without a failure cost nothing and are not remembered.
 */
export class CircuitBreaker<T = undefined> {
  readonly #options: Required<CircuitBreakerOptions>;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(options: CircuitBreakerOptions) {
    this.#options = {
      failureShare: 1,
      windowMs: Infinity,
      maxOpenMs: options.openMs,
      successes: 1,
      maxProbes: 1,
      rememberMs: 0,
      now: Date.now,
      ...options,
    };
  }

  /** Number of circuits that are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** The circuit of a key; `undefined` if no failure is remembered. */
  get(key: string): Circuit<T> | undefined {
    // Fast path: asked before every call, and nearly always empty.
    return this.#entries.size === 0 ? undefined : this.#entries.get(key);
  }

  state(key: string): CircuitState {
    const circuit = this.get(key);
    if (circuit === undefined || circuit.openings === 0) return "closed";
    return this.#options.now() < circuit.until ? "open" : "half-open";
  }

  /** Milliseconds until the circuit is half-open; 0 if it is not open. */
  remainingMs(key: string): number {
    return Math.max(0, Math.ceil((this.get(key)?.until ?? 0) - this.#options.now()));
  }

  /**
   * Asks whether a call may be made. After `true`, report how it ended with `success`, `failure` or `release`.
   */
  admit(key: string): boolean {
    const entry = this.#entries.size === 0 ? undefined : this.#entries.get(key);
    if (entry === undefined || entry.openings === 0) return true;
    if (this.#options.now() < entry.until || entry.probes >= this.#options.maxProbes) return false;
    entry.probes++;
    return true;
  }

  /** Reports a call that was admitted and says nothing about the circuit. */
  release(key: string): void {
    const entry = this.#entries.get(key);
    if (entry && entry.probes > 0) entry.probes--;
  }

  /** Reports a success. @returns whether it closed the circuit, or ended a row of failures. */
  success(key: string): boolean {
    const entry = this.#entries.size === 0 ? undefined : this.#entries.get(key);
    if (entry === undefined) return false;
    if (entry.probes > 0) entry.probes--;
    const { failureShare, successes, now } = this.#options;
    if (entry.openings === 0) {
      // A circuit that was restored or is remembered may have no failure.
      const hadFailures = entry.failures > 0;
      if (failureShare < 1 && hadFailures) {
        this.#count(entry);
        return false;
      }
      this.#close(key, entry);
      return hadFailures;
    }
    // Calls that were under way when it opened prove nothing.
    if (now() < entry.until || ++entry.successes < successes) return false;
    this.#close(key, entry);
    return true;
  }

  /** Reports a failure. @returns whether it opened the circuit. */
  failure(key: string, cause?: T): boolean {
    const { failures, failureShare, openMs, maxOpenMs, now } = this.#options;
    const entry = this.#entries.get(key) ?? this.#create();
    this.#touch(key, entry);
    if (entry.probes > 0) entry.probes--;
    const time = now();
    // Calls that were under way when it opened must not keep it open for longer.
    if (entry.openings > 0 && time < entry.until) return false;
    this.#count(entry);
    entry.failures++;
    entry.successes = 0;
    const isRepeated = entry.failures >= failures && entry.failures >= failureShare * entry.calls;
    if (entry.openings === 0 && !isRepeated) return false;
    const past = time < entry.rememberedUntil ? entry.pastOpenings : 0;
    const openings = entry.openings > 0 ? entry.openings : past;
    entry.until = time + Math.min(maxOpenMs, openMs * 2 ** Math.min(openings, 40));
    entry.openings = openings + 1;
    entry.cause = cause;
    return true;
  }

  /** Sets a circuit, as it was stored earlier. It is never open for longer than the options allow. */
  restore(key: string, { failures, openings, until, cause }: Circuit<T>): void {
    const entry = this.#create();
    const latest = this.#options.now() + this.#options.maxOpenMs;
    Object.assign(entry, { failures, calls: failures, openings, cause, until: Math.min(until, latest) });
    this.#touch(key, entry);
  }

  /** Closes a circuit, and forgets its failures. @returns whether there was one. */
  reset(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Forgets the circuits whose keys match. */
  resetWhere(matches: (key: string) => boolean): void {
    for (const key of this.#entries.keys()) if (matches(key)) this.#entries.delete(key);
  }

  /** All circuits with a remembered failure, by key. */
  entries(): Iterable<[string, Circuit<T>]> {
    return this.#entries.entries();
  }

  #create(): Entry<T> {
    const windowStart = this.#options.now();
    // prettier-ignore
    return { failures: 0, openings: 0, until: 0, cause: undefined, calls: 0, windowStart, successes: 0, probes: 0, pastOpenings: 0, rememberedUntil: 0 };
  }

  #close(key: string, entry: Entry<T>): void {
    const time = this.#options.now();
    if (entry.openings > 0) {
      entry.pastOpenings = entry.openings;
      entry.rememberedUntil = time + this.#options.rememberMs;
    }
    if (time >= entry.rememberedUntil) this.#entries.delete(key);
    else Object.assign(entry, { failures: 0, openings: 0, calls: 0, windowStart: time, successes: 0 });
  }

  #count(entry: Entry<T>): void {
    const time = this.#options.now();
    if (time - entry.windowStart > this.#options.windowMs) {
      Object.assign(entry, { calls: 0, failures: 0, windowStart: time });
    }
    entry.calls++;
  }

  #touch(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    if (this.#entries.size <= this.#options.maxCircuits) return;
    for (const [oldest, { openings }] of this.#entries) {
      // Closed ones first: an attacker must not be able to push an open circuit out with failures of other keys.
      if (openings > 0 && this.#entries.size <= 2 * this.#options.maxCircuits) continue;
      this.#entries.delete(oldest);
      return;
    }
  }
}
