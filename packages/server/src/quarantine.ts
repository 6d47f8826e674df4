import { createHash } from "node:crypto";
import type { FaultCode } from "@hookwarden/sandbox";
import type { Awaitable, KeptQuarantine, QuarantineStore } from "./storage.ts";
import type { QuarantineEntry } from "./tenants.ts";

export interface QuarantineOptions {
  /** Faults within a minute that bring a hook there, if they are at least half of its calls. Default 5. */
  readonly faults?: number;
  /** How long the first one is, in milliseconds; each further one is twice as long. Default 10,000. */
  readonly firstMs?: number;
  /** The longest, in milliseconds. Default an hour. */
  readonly longestMs?: number;
}

/** The time over which faults are counted, in milliseconds. */
const windowMs = 60_000;
/** How often in a row a hook must answer after its quarantine until that is forgotten. */
const proofs = 20;
/** Most hooks that are watched; what was quiet for longest is forgotten first. */
const watchedMost = 20_000;

interface Watched {
  calls: number;
  faults: number;
  since: number;
  kept: KeptQuarantine | null;
  proven: number;
}

/**
 * Takes hooks that fail again and again out of service for a while. What becomes of the step is still their failure
 * policy: a quarantined guard closes its gate.
 *
 * After its time a hook is tried again; if it fails at once, the next time is twice as long.
 */
export class Quarantine {
  /** Told when a hook comes into quarantine (`false`) and when it is lifted (`true`). */
  onChange: (entry: QuarantineEntry, lifted: boolean) => void = () => undefined;
  readonly #store: QuarantineStore;
  readonly #faults: number;
  readonly #firstMs: number;
  readonly #longestMs: number;
  readonly #watched = new Map<string, Watched>();

  constructor(store: QuarantineStore, options: QuarantineOptions = {}) {
    this.#store = store;
    this.#faults = options.faults ?? 5;
    this.#firstMs = options.firstMs ?? 10_000;
    this.#longestMs = options.longestMs ?? 3_600_000;
  }

  /** Takes over what was kept: a restart is no amnesty. */
  async load(): Promise<void> {
    for (const kept of await this.#store.list()) {
      this.#watched.set(keyOf(kept.tenant, kept.program), { ...fresh(), kept });
    }
    this.#store.watch?.((tenant, program, kept) => this.#follow(keyOf(tenant, program), kept));
  }

  /** What keeps a hook from running now; `null` where nothing does. */
  check(tenant: string, program: string): KeptQuarantine | null {
    if (this.#watched.size === 0) return null;
    const kept = this.#watched.get(keyOf(tenant, program))?.kept;
    return kept && Date.now() < kept.until ? kept : null;
  }

  /** Notes how a call ended. */
  note(tenant: string, hook: string, program: string, fault: FaultCode | null): void {
    const key = keyOf(tenant, program);
    let watched = this.#watched.get(key);
    // Hooks that never fail cost nothing here.
    if (!watched && fault === null) return;
    if (!watched) this.#watched.set(key, (watched = fresh()));
    const now = Date.now();
    if (now - watched.since > windowMs) Object.assign(watched, { calls: 0, faults: 0, since: now });
    watched.calls++;
    if (fault === null) return this.#proved(key, watched);
    watched.faults++;
    watched.proven = 0;
    const again = watched.kept !== null;
    const often = watched.faults >= this.#faults && watched.faults * 2 >= watched.calls;
    if (again || often) this.#confine(watched, { tenant, hook, program, fault }, now);
    this.#trim();
  }

  /** All that are in quarantine now. */
  list(tenant?: string): QuarantineEntry[] {
    const now = Date.now();
    return [...this.#watched.values()]
      .map(({ kept }) => kept)
      .filter((kept) => kept !== null)
      .filter((kept) => now < kept.until && (tenant === undefined || kept.tenant === tenant))
      .map(entryOf);
  }

  /** Ends a quarantine, and forgets what led to it. @returns whether there was one. */
  async lift(id: string): Promise<boolean> {
    for (const [key, { kept }] of this.#watched) {
      if (!kept || idOf(kept) !== id) continue;
      this.#watched.delete(key);
      await this.#store.remove(kept.tenant, kept.program);
      this.onChange(entryOf(kept), true);
      return true;
    }
    return false;
  }

  #confine(
    watched: Watched,
    { tenant, hook, program, fault }: { tenant: string; hook: string; program: string; fault: FaultCode },
    now: number,
  ): void {
    // Calls that were under way when it began fail as well, and must not make it longer.
    if (watched.kept && now < watched.kept.until) return;
    const times = (watched.kept?.times ?? 0) + 1;
    const ms = Math.min(this.#longestMs, this.#firstMs * 2 ** Math.min(times - 1, 20));
    const kept: KeptQuarantine = { tenant, hook, program, times, since: now, until: now + ms, fault };
    Object.assign(watched, { kept, calls: 0, faults: 0, since: now });
    later(this.#store.put(kept));
    this.onChange(entryOf(kept), false);
  }

  /** Takes over what another node has done; of its own doing it has nothing to learn. */
  #follow(key: string, kept: KeptQuarantine | null): void {
    const known = this.#watched.get(key)?.kept ?? null;
    if (kept && (known?.until ?? 0) < kept.until) {
      this.#watched.set(key, { ...fresh(), kept });
      this.onChange(entryOf(kept), false);
    } else if (!kept && known) {
      this.#watched.delete(key);
      this.onChange(entryOf(known), true);
    }
  }

  #proved(key: string, watched: Watched): void {
    if (!watched.kept || Date.now() < watched.kept.until) return;
    if (++watched.proven < proofs) return;
    later(this.#store.remove(watched.kept.tenant, watched.kept.program));
    this.#watched.delete(key);
  }

  #trim(): void {
    if (this.#watched.size <= watchedMost) return;
    for (const [key, { kept }] of this.#watched) {
      if (kept) continue;
      this.#watched.delete(key);
      if (this.#watched.size <= watchedMost) return;
    }
  }
}

function fresh(): Watched {
  return { calls: 0, faults: 0, since: Date.now(), kept: null, proven: 0 };
}

/** Names of tenants hold no space. */
function keyOf(tenant: string, program: string): string {
  return `${tenant} ${program}`;
}

function idOf({ tenant, program }: KeptQuarantine): string {
  return createHash("sha256").update(keyOf(tenant, program)).digest("hex").slice(0, 16);
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
function later(done: Awaitable<unknown>): void {
  if (done instanceof Promise) done.catch(() => undefined);
}
