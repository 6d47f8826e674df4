import { type EventName, eventRows } from "../catalogue/index.ts";

/** How often in a row a hook may send the agent back to the same step of a session. */
export const retryLimit = 3;

/** Whether a verdict sends the agent back, so that it could loop forever. */
export function isBounded(event: EventName, verdict: string): boolean {
  return verdict === "retry" || (verdict === "block" && eventRows.get(event)?.phase === "stop");
}

/** Identifies one count. */
export interface RetryKey {
  readonly tenant: string;
  readonly session: string;
  readonly event: EventName;
  readonly hook: string;
}

/**
 * Counts, for each hook, event and session, the bounded verdicts in a row. Events are counted separately: between two attempts to
 * stop, an agent runs tools, and the same hook's verdicts there must not reset the count.
 *
 * An LRU cache with a bounded number of keys for each of a bounded number of tenants. A
 * tenant that floods it evicts only its own keys.
 */
export class RetryCounters {
  readonly #tenants = new Map<string, Map<string, number>>();
  readonly #maxTenants: number;
  readonly #maxKeys: number;

  constructor(maxTenants = 10_000, maxKeys = 10_000) {
    this.#maxTenants = maxTenants;
    this.#maxKeys = maxKeys;
  }

  /** Fetches counts from an external store before a decision; `null` if there is nothing to wait for. */
  fetch(_keys: readonly RetryKey[]): Promise<void> | null {
    return null;
  }

  /** Waits until counts are written to an external store; `null` as above. */
  settle(): Promise<void> | null {
    return null;
  }

  /** How many bounded verdicts in a row there were. */
  count(key: RetryKey): number {
    return this.#tenants.get(key.tenant)?.get(join(key)) ?? 0;
  }

  /** Counts one more. */
  add(key: RetryKey): void {
    const counts = this.#tenants.get(key.tenant) ?? new Map<string, number>();
    this.#tenants.delete(key.tenant);
    this.#tenants.set(key.tenant, counts);
    const text = join(key);
    const count = (counts.get(text) ?? 0) + 1;
    counts.delete(text);
    counts.set(text, count);
    trim(counts, this.#maxKeys);
    trim(this.#tenants, this.#maxTenants);
  }

  /** Resets the count after another verdict. */
  reset(key: RetryKey): void {
    const counts = this.#tenants.get(key.tenant);
    if (!counts?.delete(join(key))) return;
    if (counts.size === 0) this.#tenants.delete(key.tenant);
  }
}

/** Unambiguous: names of hooks and events contain no space. */
function join({ hook, event, session }: RetryKey): string {
  return `${hook} ${event} ${session}`;
}

function trim(map: Map<string, unknown>, maxSize: number): void {
  if (map.size <= maxSize) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
