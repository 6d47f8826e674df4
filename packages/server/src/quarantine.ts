import { createHash } from "node:crypto";
import type { FaultCode } from "@hookwarden/sandbox";
import { CircuitBreaker, type Circuit } from "@hookwarden/sandbox/resilience";
import type { Awaitable, KeptQuarantine, QuarantineStore } from "./storage.ts";
import type { QuarantineEntry } from "./tenants.ts";

export interface QuarantineOptions {
  /** Faults within a minute that quarantine a hook, if they are at least half of its calls. Default 5. */
  readonly faults?: number;
  /** Duration of the first quarantine, in milliseconds; each further one is twice as long. Default 10,000. */
  readonly firstMs?: number;
  /** Maximum duration, in milliseconds. Default an hour. */
  readonly longestMs?: number;
}

/** Window over which faults are counted, in milliseconds. */
const windowMs = 60_000;
/** Successful calls after a quarantine that end it for good. */
const successes = 20;
/** How long it is remembered after that, so that good calls in between do not make the next one short, in milliseconds. */
const rememberMs = 3_600_000;
/** Number of hooks that are remembered. */
const maxHooks = 20_000;

/** A hook of a tenant. */
export interface QuarantinedHook {
  readonly tenant: string;
  readonly hook: string;
  /** Key of the hook's program: another version of the hook starts anew. */
  readonly program: string;
}

/** Why and since when a hook is in quarantine. */
interface Cause extends QuarantinedHook {
  readonly fault: FaultCode;
  /** Milliseconds since 1970. */
  readonly since: number;
}

/**
 * The circuit breaker of the server: hooks that fail repeatedly are suspended for a while, in which their failure policy
 * decides. Its state is stored, and shared between the nodes of a fleet.
 */
export class Quarantine {
  /** Called when a hook comes into quarantine (`false`) and when it is lifted (`true`). */
  onChange: (entry: QuarantineEntry, lifted: boolean) => void = () => undefined;
  readonly #store: QuarantineStore;
  readonly #breaker: CircuitBreaker<Cause>;

  constructor(store: QuarantineStore, options: QuarantineOptions = {}) {
    this.#store = store;
    this.#breaker = new CircuitBreaker({
      failures: options.faults ?? 5,
      failureShare: 0.5,
      windowMs,
      openMs: options.firstMs ?? 10_000,
      maxOpenMs: options.longestMs ?? 3_600_000,
      successes,
      maxProbes: Infinity,
      rememberMs,
      maxCircuits: maxHooks,
    });
  }

  /** Takes over what was stored, so that quarantine survives restarts, and follows what other nodes store. */
  async load(): Promise<void> {
    for (const kept of await this.#store.list()) this.#restore(kept);
    this.#store.watch?.((tenant, program, kept) => this.#follow(keyOf({ tenant, program }), kept));
  }

  /** Whether a hook may run. After `null`, report how the call ended with `report`. @returns why it may not, and until when. */
  refusal(hook: Pick<QuarantinedHook, "tenant" | "program">): string | null {
    // Fast path: asked before every call, and nearly always empty.
    if (this.#breaker.size === 0) return null;
    const key = keyOf(hook);
    if (this.#breaker.admit(key)) return null;
    const { until, cause } = this.#breaker.get(key) as Circuit<Cause>;
    return `the hook is in quarantine until ${new Date(until).toISOString()}, because it has failed repeatedly (${cause?.fault})`;
  }

  /** Reports how a call ended. @param fault `null`: well; `undefined`: it says nothing about the hook. */
  report(hook: QuarantinedHook, fault: FaultCode | null | undefined): void {
    if (!fault && this.#breaker.size === 0) return;
    const key = keyOf(hook);
    if (fault === undefined) this.#breaker.release(key);
    else if (fault === null) {
      if (this.#breaker.success(key)) ignoreFailure(this.#store.remove(hook.tenant, hook.program));
    } else if (this.#breaker.failure(key, { ...hook, fault, since: Date.now() })) {
      const kept = storedOf(this.#breaker.get(key) as Circuit<Cause>);
      ignoreFailure(this.#store.put(kept));
      this.onChange(entryOf(kept), false);
    }
  }

  /** All hooks that are in quarantine now. */
  list(tenant?: string): QuarantineEntry[] {
    const now = Date.now();
    return this.#opened()
      .filter(({ until }) => now < until)
      .filter((kept) => tenant === undefined || kept.tenant === tenant)
      .map(entryOf);
  }

  /** Ends a quarantine, and forgets what led to it. @returns whether there was one. */
  async lift(id: string): Promise<boolean> {
    const kept = this.#opened().find((one) => idOf(one) === id);
    if (!kept) return false;
    this.#breaker.reset(keyOf(kept));
    await this.#store.remove(kept.tenant, kept.program);
    this.onChange(entryOf(kept), true);
    return true;
  }

  #opened(): KeptQuarantine[] {
    return [...this.#breaker.entries()]
      .filter(([, { openings }]) => openings > 0)
      .map(([, circuit]) => storedOf(circuit));
  }

  #restore({ tenant, hook, program, times, since, until, fault }: KeptQuarantine): void {
    const cause: Cause = { tenant, hook, program, since, fault: fault as FaultCode };
    this.#breaker.restore(keyOf(cause), { failures: 0, openings: times, until, cause });
  }

  /** Takes over what another node has stored; of its own changes it has nothing to learn. */
  #follow(key: string, kept: KeptQuarantine | null): void {
    const circuit = this.#breaker.get(key);
    const known = circuit && circuit.openings > 0 ? circuit : null;
    if (kept && (known?.until ?? 0) < kept.until) {
      this.#restore(kept);
      this.onChange(entryOf(kept), false);
    } else if (!kept && known) {
      this.#breaker.reset(key);
      this.onChange(entryOf(storedOf(known)), true);
    }
  }
}

/** Names of tenants contain no spaces. */
function keyOf({ tenant, program }: Pick<QuarantinedHook, "tenant" | "program">): string {
  return `${tenant} ${program}`;
}

function idOf(hook: Pick<QuarantinedHook, "tenant" | "program">): string {
  return createHash("sha256").update(keyOf(hook)).digest("hex").slice(0, 16);
}

/** An open circuit as it is stored. */
function storedOf({ cause, openings, until }: Circuit<Cause>): KeptQuarantine {
  return { ...(cause as Cause), times: openings, until };
}

function entryOf(kept: KeptQuarantine): QuarantineEntry {
  const { tenant, hook, times, since, until, fault } = kept;
  return {
    id: idOf(kept),
    tenant,
    hook,
    fault: fault as FaultCode,
    times,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
  };
}

/** What holds in this process does not wait for the store, nor fail with it. */
function ignoreFailure(done: Awaitable<unknown>): void {
  if (done instanceof Promise) done.catch(() => undefined);
}
