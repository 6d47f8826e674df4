import type { Call, EngineName, Inspection, Limits, Outcome, Program, Sandbox } from "@hookwarden/sandbox";
import type { StateKey, StateStore } from "../state/index.ts";

/** How a hook that ends its process, or never finishes loading, is kept from doing so again and again. */
export const breakerLimits = {
  /** Failures in a row after which a hook is not run for a while. */
  strikes: 5,
  /** How long it is not run for the first time, in milliseconds; doubled each time. */
  firstMs: 1_000,
  /** How long at most, in milliseconds. */
  longestMs: 60_000,
  /** Most hooks of tenants that are remembered; the longest unused are forgotten first. */
  remembered: 10_000,
  /** Longest wait for a store to tell what an earlier process has seen, in milliseconds. */
  storeMs: 1_000,
} as const;

/** What is known of one hook of one tenant. */
interface Record {
  /** Failures in a row. */
  strikes: number;
  /** Not run before this time, in milliseconds since 1970. */
  until: number;
  /** Whether a call is under way that tries it again. */
  trying: boolean;
}

/**
 * A circuit breaker: a program that has ended its process, or has run out of time while it was loaded, several times in
 * a row is not run for a while. Its calls are answered with `crashed` at once, so that its failure policy decides, and
 * no other hook waits for a new process or for a load that does not end.
 *
 * Failures are counted for each tenant separately: what one tenant's events do to a hook costs no other one the hook.
 * After the pause one call tries it again; the pause doubles with each further failure. With a store, a restart of this
 * process is no amnesty. A store that fails keeps nothing and stops nothing.
 */
export class BreakerSandbox implements Sandbox {
  readonly #inner: Sandbox;
  readonly #store: StateStore | null;
  readonly #now: () => number;
  /** By tenant and program; with a store, programs that have done nothing wrong stand here too. */
  readonly #records = new Map<string, Record>();

  constructor(inner: Sandbox, store: StateStore | null, now: () => number = Date.now) {
    this.#inner = inner;
    this.#store = store;
    this.#now = now;
  }

  get engine(): EngineName {
    return this.#inner.engine;
  }

  get version(): string {
    return this.#inner.version;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    if (this.#store === null && this.#records.size === 0) return this.#run(call, undefined);
    const record = this.#records.get(keyOf(call));
    if (record || this.#store === null) return this.#decide(call, record);
    const stored = this.#stored(call);
    return stored instanceof Promise
      ? stored.then((found) => this.#decide(call, this.#remember(call, found)))
      : this.#decide(call, this.#remember(call, stored));
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.#inner.inspect(program, limits, tenant);
  }

  tidy(): void {
    this.#inner.tidy?.();
  }

  forget(programKey: string): void {
    for (const key of this.#records.keys()) if (key.endsWith(`\n${programKey}`)) this.#records.delete(key);
    this.#inner.forget(programKey);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  #decide(call: Call, record: Record | undefined): Outcome | Promise<Outcome> {
    if (!record || record.strikes < breakerLimits.strikes) return this.#run(call, record);
    const left = record.until - this.#now();
    if (left > 0 || record.trying) return refused(record.strikes, Math.max(left, 0));
    record.trying = true;
    return this.#run(call, record);
  }

  #run(call: Call, record: Record | undefined): Outcome | Promise<Outcome> {
    const outcome = this.#inner.call(call);
    if (!(outcome instanceof Promise)) return this.#judge(call, outcome, record);
    return outcome.then((answer) => this.#judge(call, answer, record));
  }

  #judge(call: Call, outcome: Outcome, before: Record | undefined): Outcome {
    const failed = !outcome.ok && (outcome.killed === true || outcome.loadTimedOut === true);
    if (!failed && (before === undefined || before.strikes === 0)) return outcome;
    const record = this.#records.get(keyOf(call)) ?? before ?? fresh();
    record.trying = false;
    if (failed) {
      record.strikes++;
      const times = record.strikes - breakerLimits.strikes;
      if (times >= 0) {
        record.until = this.#now() + Math.min(breakerLimits.firstMs * 2 ** times, breakerLimits.longestMs);
      }
    } else {
      record.strikes = 0;
      record.until = 0;
    }
    this.#records.delete(keyOf(call));
    if (record.strikes > 0 || this.#store) this.#remember(call, record);
    this.#write(call, record);
    return outcome;
  }

  #remember(call: Call, record: Record): Record {
    const key = keyOf(call);
    // Two calls may have asked the store at the same time.
    const known = this.#records.get(key) ?? record;
    this.#records.delete(key);
    this.#records.set(key, known);
    const oldest = this.#records.keys().next().value;
    if (this.#records.size > breakerLimits.remembered && oldest !== undefined) this.#records.delete(oldest);
    return known;
  }

  #stored(call: Call): Record | Promise<Record> {
    try {
      const found = this.#store?.read(placeOf(call)) ?? null;
      if (!(found instanceof Promise)) return this.#read(found?.value);
      const late = new Promise<null>((done) => setTimeout(done, breakerLimits.storeMs, null).unref());
      return Promise.race([found, late]).then(
        (record) => this.#read(record?.value),
        () => fresh(),
      );
    } catch {
      return fresh();
    }
  }

  /** Others write to a store too: what does not have the form counts for nothing, and no pause is longer than ours. */
  #read(text: string | undefined): Record {
    if (text === undefined) return fresh();
    try {
      const { strikes, until } = JSON.parse(text) as Partial<Record>;
      if (!Number.isSafeInteger(strikes) || typeof until !== "number" || (strikes as number) < 0)
        return fresh();
      const latest = this.#now() + breakerLimits.longestMs;
      return { strikes: strikes as number, until: Math.min(until, latest), trying: false };
    } catch {
      return fresh();
    }
  }

  #write(call: Call, { strikes, until }: Record): void {
    const store = this.#store;
    if (!store) return;
    const value = strikes === 0 ? null : JSON.stringify({ strikes, until });
    const key = placeOf(call);
    const nothing = (): void => undefined;
    try {
      const before = store.read(key);
      if (before instanceof Promise) {
        before
          .then((record) => store.commit([{ key, value, expected: record?.version ?? 0 }]))
          .catch(nothing);
      } else {
        const done = store.commit([{ key, value, expected: before?.version ?? 0 }]);
        if (done instanceof Promise) done.catch(nothing);
      }
    } catch {
      // As said above.
    }
  }
}

function fresh(): Record {
  return { strikes: 0, until: 0, trying: false };
}

/** Tenants hold no control characters. */
function keyOf({ tenant, program }: Call): string {
  return `${tenant}\n${program.key}`;
}

/** Names of hooks hold no space: a place of no hook's own state. */
function placeOf({ tenant, program }: Call): StateKey {
  return { tenant, hook: `breaker ${program.key}`, scope: "tenant", session: "" };
}

function refused(strikes: number, leftMs: number): Outcome {
  const when = leftMs > 0 ? `is tried again in ${leftMs} ms` : "is being tried again";
  return {
    ok: false,
    fault: {
      code: "quarantined",
      message: `not run: it has ended its process or not loaded in time ${strikes} times in a row, and ${when}`,
    },
    steps: null,
    durationUs: 0,
    memoryBytes: 0,
    logs: [],
  };
}
