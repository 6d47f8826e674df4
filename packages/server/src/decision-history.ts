import type { AuditChain, AuditStore } from "./storage.ts";

/** Which decisions to find. */
export interface HistoryFilter {
  readonly verdict?: string | undefined;
  readonly event?: string | undefined;
  /** Name of a hook that was called. */
  readonly hook?: string | undefined;
  /** Text in the record, compared without case. */
  readonly text?: string | undefined;
  /** Only records before this number of their chain. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** One decision of the audit, as a row. */
export interface HistoryRow {
  readonly node: string;
  /** Number of the record in its chain. */
  readonly n: number;
  /** ISO 8601. */
  readonly time: string;
  readonly decision_id: string;
  readonly event: string;
  readonly tool: string | null;
  readonly verdict: string;
  readonly reason: string | null;
  readonly decided_by: string | null;
  readonly faults: number;
  readonly duration_us: number | null;
}

/** Records that are read at a time, and at most for one request. */
const blockRecords = 200;
const maxScanned = 5_000;

interface Recorded {
  readonly kind: string;
  readonly time: string;
  readonly event: { readonly tool_name?: unknown };
  readonly decision: {
    readonly decision_id: string;
    readonly hook_event_name: string;
    readonly verdict: string;
    readonly reason?: string | null;
    readonly decided_by?: string | null;
    readonly duration_us?: number;
    readonly trace?: readonly { readonly hook?: string; readonly fault?: unknown }[];
  };
}

/**
 * Finds decisions in a tenant's audit, the newest first. Reads backwards from the end of each chain.
 *
 * @returns the rows, and `true` if the search ended before the beginning of a chain.
 */
export async function findDecisions(
  audit: AuditStore,
  tenant: string,
  filter: HistoryFilter,
): Promise<{ readonly decisions: readonly HistoryRow[]; readonly more: boolean }> {
  const found: HistoryRow[] = [];
  let more = false;
  for (const chain of await audit.chains(tenant)) more = (await search(audit, chain, filter, found)) || more;
  found.sort((one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : other.n - one.n));
  return { decisions: found.slice(0, filter.limit), more: more || found.length > filter.limit };
}

/** Adds what fits to `found`. @returns whether records of the chain were left unread */
async function search(
  audit: AuditStore,
  chain: AuditChain,
  filter: HistoryFilter,
  found: HistoryRow[],
): Promise<boolean> {
  const head = await audit.head(chain);
  const last = Math.min(head?.n ?? 0, (filter.before ?? Infinity) - 1);
  let own = 0;
  for (let end = last; end > 0; end -= blockRecords) {
    if (own >= filter.limit || last - end >= maxScanned) return true;
    const start = Math.max(0, end - blockRecords);
    for await (const { n, line } of audit.read(chain, { after: start, limit: end - start })) {
      const row = line.startsWith('{"kind":"decision"') ? rowOf(chain.node, n, line, filter) : null;
      if (!row) continue;
      own++;
      found.push(row);
    }
  }
  return false;
}

function rowOf(node: string, n: number, line: string, filter: HistoryFilter): HistoryRow | null {
  if (filter.text !== undefined && !line.toLowerCase().includes(filter.text.toLowerCase())) return null;
  const { time, event, decision } = JSON.parse(line) as Recorded;
  const trace = decision.trace ?? [];
  const { verdict, hook_event_name: name } = decision;
  if (filter.verdict !== undefined && verdict !== filter.verdict) return null;
  if (filter.event !== undefined && name !== filter.event) return null;
  if (filter.hook !== undefined && !trace.some(({ hook }) => hook === filter.hook)) return null;
  return {
    node,
    n,
    time,
    decision_id: decision.decision_id,
    event: name,
    tool: typeof event.tool_name === "string" ? event.tool_name.slice(0, 256) : null,
    verdict,
    reason: decision.reason ?? null,
    decided_by: decision.decided_by ?? null,
    faults: trace.filter(({ fault }) => fault).length,
    duration_us: decision.duration_us ?? null,
  };
}

/** One record of a decision, as JSON text; `null` if there is none. */
export async function readDecision(audit: AuditStore, chain: AuditChain, n: number): Promise<string | null> {
  for await (const record of audit.read(chain, { after: n - 1, limit: 1 }))
    return record.n === n && record.line.startsWith('{"kind":"decision"') ? record.line : null;
  return null;
}
