import { type EventName, eventRows } from "../catalogue/index.ts";

/** How often in a row a hook may send the agent back to the same step of a session. */
export const retryLimit = 3;

/** Whether a verdict makes the agent go on where it would have ended or gone further, so that it could do so for ever. */
export function isBounded(event: EventName, verdict: string): boolean {
  return verdict === "retry" || (verdict === "block" && eventRows.get(event)?.phase === "stop");
}

/** Whose verdicts are counted together. */
export interface RetryKey {
  readonly tenant: string;
  readonly session: string;
  readonly event: EventName;
  readonly hook: string;
}

/**
 * Counts, for each hook, event and session, the bounded verdicts in a row. Events count apart: between two attempts to
 * stop, an agent runs tools, and what the same hook says there must not set the count back.
 *
 * Holds a bounded number of sessions for each of a bounded number of tenants, and forgets the longest unused first. A
 * tenant that floods it pushes out nothing but its own.
 */
export class RetryCounters {
  private readonly tenants = new Map<string, Map<string, number>>();
  private readonly maxTenants: number;
  private readonly maxKeys: number;

  constructor(maxTenants = 10_000, maxKeys = 10_000) {
    this.maxTenants = maxTenants;
    this.maxKeys = maxKeys;
  }

  /** Counts that lie elsewhere are fetched before a decision; `null` where there is nothing to wait for. */
  fetch(_keys: readonly RetryKey[]): Promise<void> | null {
    return null;
  }

  /** What was counted elsewhere than here is there before a decision is handed out; `null` as above. */
  settle(): Promise<void> | null {
    return null;
  }

  /** How many bounded verdicts in a row there were. */
  count(key: RetryKey): number {
    return this.tenants.get(key.tenant)?.get(join(key)) ?? 0;
  }

  /** Counts one more. */
  add(key: RetryKey): void {
    const counts = this.tenants.get(key.tenant) ?? new Map<string, number>();
    this.tenants.delete(key.tenant);
    this.tenants.set(key.tenant, counts);
    const text = join(key);
    const count = (counts.get(text) ?? 0) + 1;
    counts.delete(text);
    counts.set(text, count);
    trim(counts, this.maxKeys);
    trim(this.tenants, this.maxTenants);
  }

  /** Another verdict came: starts from nothing again. */
  reset(key: RetryKey): void {
    const counts = this.tenants.get(key.tenant);
    if (!counts?.delete(join(key))) return;
    if (counts.size === 0) this.tenants.delete(key.tenant);
  }
}

/** Names of hooks and events hold no space, so that the parts stay apart. */
function join({ hook, event, session }: RetryKey): string {
  return `${hook} ${event} ${session}`;
}

function trim(map: Map<string, unknown>, maxSize: number): void {
  if (map.size <= maxSize) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
