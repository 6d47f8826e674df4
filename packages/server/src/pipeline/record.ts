import type { Decision, EventInput } from "hookwarden/broker";
import type { Feed } from "../feed.ts";
import type { LatencyWindow } from "../histogram.ts";
import type { ServerMetrics } from "../metrics.ts";
import type { Tenant } from "../tenant.ts";

/** A decision that was made, and how long it took with its waiting. */
export interface Recorded {
  readonly decision: Decision;
  readonly input: EventInput;
  /** In microseconds. */
  readonly us: number;
}

export interface Recorders {
  readonly feed: Feed;
  readonly metrics: ServerMetrics;
  /** Of all tenants together. */
  readonly latencies: LatencyWindow;
}

/** The fifth stage: counts a decision for its tenant, for metrics, and for operators who watch. */
export function record({ feed, metrics, latencies }: Recorders, tenant: Tenant, made: Recorded): void {
  const { decision, us } = made;
  tenant.count(decision, us);
  metrics.decision(decision, us);
  latencies.add(us);
  const faults = recordFaults(feed, tenant, decision);
  if (!feed.hasListeners) return;
  const { decision_id, hook_event_name: event, verdict, reason, decided_by, duration_us } = decision;
  feed.publish({
    type: "decision",
    at: new Date().toISOString(),
    tenant: tenant.name,
    decision_id,
    event,
    tool: toolOf(made.input),
    verdict,
    reason,
    decided_by,
    duration_us,
    faults,
  });
}

/** @returns how many there were. */
function recordFaults(feed: Feed, tenant: Tenant, decision: Decision): number {
  let faults = 0;
  for (const { fault, hook } of decision.trace) {
    if (!fault) continue;
    faults++;
    feed.fault({
      at: new Date().toISOString(),
      tenant: tenant.name,
      hook,
      event: decision.hook_event_name,
      decision_id: decision.decision_id,
      code: fault.code,
      message: fault.message,
      place: fault.at ?? null,
    });
  }
  return faults;
}

/** The tool's name; the event is known to be valid. */
function toolOf(input: EventInput): string | null {
  const event: unknown =
    input instanceof Uint8Array ? JSON.parse(Buffer.from(input).toString("utf8")) : input;
  const name = (event as { tool_name?: unknown } | null)?.tool_name;
  return typeof name === "string" ? name.slice(0, 256) : null;
}
