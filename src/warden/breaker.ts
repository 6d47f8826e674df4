import type { Call, EngineName, Inspection, Limits, Outcome, Program, Sandbox } from "@hookwarden/sandbox";
import { CircuitBreaker } from "@hookwarden/sandbox/resilience";
import type { StateStore } from "../state/index.ts";
import { BreakerStore } from "./breaker-store.ts";

/** When a hook that ends its process, or never finishes loading, is suspended. */
export const breakerLimits = {
  /** Failures in a row after which a hook is suspended. */
  failures: 5,
  /** Duration of the first suspension, in milliseconds; doubled each time. */
  firstMs: 1_000,
  /** Maximum duration of a suspension, in milliseconds. */
  maxMs: 60_000,
  /** Number of hooks of tenants that are remembered. */
  maxHooks: 10_000,
} as const;

/**
 * The circuit breaker of a warden: a program that has ended its process, or has timed out while loading, several times
 * in a row is suspended. Its calls are answered with `quarantined` at once, so that its failure policy decides, and no
 * other hook waits for a new process or for a load that never ends.
 *
 * Failures are counted for each tenant separately: one tenant's events cannot cost another tenant the hook. With a
 * store, suspensions survive a restart of this process.
 */
export class BreakerSandbox implements Sandbox {
  readonly #inner: Sandbox;
  readonly #breaker: CircuitBreaker;
  readonly #store: BreakerStore | null;

  constructor(inner: Sandbox, store: StateStore | null, now: () => number = Date.now) {
    this.#inner = inner;
    const { failures, firstMs, maxMs, maxHooks } = breakerLimits;
    this.#breaker = new CircuitBreaker({
      failures,
      openMs: firstMs,
      maxOpenMs: maxMs,
      maxCircuits: maxHooks,
      now,
    });
    this.#store = store && new BreakerStore(store, this.#breaker, maxHooks);
  }

  get engine(): EngineName {
    return this.#inner.engine;
  }

  get version(): string {
    return this.#inner.version;
  }

  get groupsCalls(): boolean {
    return this.#inner.groupsCalls === true;
  }

  call(call: Call): Outcome | Promise<Outcome> {
    if (this.#store === null && this.#breaker.size === 0) return this.#run(call);
    const loading = this.#store?.load(keyOf(call), call);
    return loading ? loading.then(() => this.#callUnlessOpen(call)) : this.#callUnlessOpen(call);
  }

  inspect(program: Program, limits: Limits, tenant: string): Promise<Inspection> {
    return this.#inner.inspect(program, limits, tenant);
  }

  wake(tenant: string): void {
    this.#inner.wake?.(tenant);
  }

  tidy(): void {
    this.#inner.tidy?.();
  }

  forget(programKey: string): void {
    const isOf = (key: string): boolean => key.endsWith(`\n${programKey}`);
    this.#breaker.resetWhere(isOf);
    this.#store?.forget(isOf);
    this.#inner.forget(programKey);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  #callUnlessOpen(call: Call): Outcome | Promise<Outcome> {
    const key = keyOf(call);
    if (this.#breaker.admit(key)) return this.#run(call);
    return suspended(this.#breaker.get(key)?.failures ?? 0, this.#breaker.remainingMs(key));
  }

  #run(call: Call): Outcome | Promise<Outcome> {
    const outcome = this.#inner.call(call);
    return outcome instanceof Promise
      ? outcome.then((answer) => this.#report(call, answer))
      : this.#report(call, outcome);
  }

  #report(call: Call, outcome: Outcome): Outcome {
    const failed = !outcome.ok && (outcome.killed === true || outcome.loadTimedOut === true);
    if (!failed && this.#breaker.size === 0) return outcome;
    const key = keyOf(call);
    if (!outcome.ok && outcome.skipped) {
      this.#breaker.release(key);
      return outcome;
    }
    if (failed) this.#breaker.failure(key);
    else if (!this.#breaker.success(key)) return outcome;
    this.#store?.save(key, call);
    return outcome;
  }
}

/** Tenants contain no control characters. */
function keyOf({ tenant, program }: Call): string {
  return `${tenant}\n${program.key}`;
}

function suspended(failures: number, remainingMs: number): Outcome {
  const when = remainingMs > 0 ? `is tried again in ${remainingMs} ms` : "is being tried again";
  return {
    ok: false,
    fault: {
      code: "quarantined",
      message: `not run: it has ended its process or not loaded in time ${failures} times in a row, and ${when}`,
    },
    steps: null,
    durationUs: 0,
    memoryBytes: 0,
    logs: [],
  };
}
