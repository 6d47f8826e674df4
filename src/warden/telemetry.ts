import { context, metrics, SpanKind, SpanStatusCode, trace, type Attributes } from "@opentelemetry/api";
import type { Decision, TraceEntry } from "../broker/decision.ts";

/**
 * Reports decisions to OpenTelemetry: a span for each with one for each hook inside it, a counter and a histogram.
 * Attributes are names and codes from closed sets, never texts of hooks: those could be of any number and any form.
 *
 * Made from finished decisions, so that nothing of it is on the way of a decision.
 *
 * @param options.hooksInMetrics `false` leaves names of hooks out of metrics, where strangers choose them. Default `true`.
 */
export function telemetry({ hooksInMetrics = true } = {}): (decision: Decision) => void {
  const tracer = trace.getTracer("hookwarden");
  const meter = metrics.getMeter("hookwarden");
  const decisions = meter.createCounter("hookwarden.decisions", {
    description: "decisions, by event and verdict",
  });
  const faults = meter.createCounter("hookwarden.faults", { description: "failures of hooks, by code" });
  const refusals = meter.createCounter("hookwarden.refusals", {
    description: "actions not honoured, by code",
  });
  const duration = meter.createHistogram("hookwarden.decision.duration", {
    unit: "us",
    description: "time of a decision",
  });

  return (decision) => {
    const { hook_event_name: event, verdict } = decision;
    decisions.add(1, { event, verdict });
    duration.record(decision.duration_us, { event, verdict });
    for (const entry of decision.trace) {
      const named = hooksInMetrics ? { hook: entry.hook } : {};
      if (entry.fault) faults.add(1, { event, ...named, code: entry.fault.code });
      for (const { code } of entry.refused) refusals.add(1, { event, ...named, code });
    }
    const end = Date.now();
    const start = end - decision.duration_us / 1_000;
    const span = tracer.startSpan(`hookwarden ${event}`, {
      kind: SpanKind.INTERNAL,
      startTime: start,
      attributes: attributesOf(decision),
    });
    const inside = trace.setSpan(context.active(), span);
    // Durations of hooks are known, the moments at which they began are not: the spans stand one behind the other.
    let at = start;
    for (const entry of decision.trace) {
      if (entry.outcome === "not-matched" || entry.outcome === "not-run") continue;
      const child = tracer.startSpan(
        `hook ${entry.hook}`,
        { startTime: at, attributes: hookAttributes(entry) },
        inside,
      );
      if (entry.fault) child.setStatus({ code: SpanStatusCode.ERROR, message: entry.fault.code });
      at += entry.duration_us / 1_000;
      child.end(at);
    }
    span.end(Math.max(end, at));
  };
}

function attributesOf(decision: Decision): Attributes {
  return {
    "hookwarden.decision_id": decision.decision_id,
    "hookwarden.event": decision.hook_event_name,
    "hookwarden.tenant": decision.tenant,
    "hookwarden.pack": decision.pack,
    "hookwarden.verdict": decision.verdict,
    ...(decision.decided_by === null ? {} : { "hookwarden.decided_by": decision.decided_by }),
  };
}

function hookAttributes(entry: TraceEntry): Attributes {
  return {
    "hookwarden.hook": entry.hook,
    "hookwarden.outcome": entry.outcome,
    "hookwarden.recheck": entry.recheck,
    "hookwarden.memory_bytes": entry.memory_bytes,
    ...(entry.steps === null ? {} : { "hookwarden.steps": entry.steps }),
    ...(entry.fault ? { "hookwarden.fault": entry.fault.code } : {}),
  };
}
