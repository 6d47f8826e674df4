import {
  type Attributes,
  type Context,
  context,
  metrics,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { type Decision, type TraceEntry, preciseNow } from "../broker/index.ts";

/** Bounds of the histogram of decisions, in seconds: most take less than a millisecond. */
const bounds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/**
 * Reports decisions to OpenTelemetry: a span for each with one for each hook inside it, counters and a histogram.
 * Attributes are names and codes from closed sets, never texts of hooks or of events: those could be of any number and
 * any form, and hold anything.
 *
 * Made from finished decisions, so that nothing of it is on the way of a decision.
 *
 * @param options.hooksInMetrics `false` leaves names of hooks out of metrics, where strangers choose them. Default `true`.
 * @returns a listener for the event `decision` of a warden.
 */
export function telemetry({ hooksInMetrics = true } = {}): (decision: Decision, madeAt?: number) => void {
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
    unit: "s",
    description: "time of a decision",
    advice: { explicitBucketBoundaries: bounds },
  });

  return (decision, madeAt = preciseNow()) => {
    const name = { "hookwarden.event": decision.hook_event_name };
    const outcome = { ...name, "hookwarden.verdict": decision.verdict };
    decisions.add(1, outcome);
    duration.record(decision.duration_us / 1e6, outcome);
    for (const entry of decision.trace) {
      const named = hooksInMetrics ? { ...name, "hookwarden.hook": entry.hook } : name;
      if (entry.fault) faults.add(1, { ...named, "hookwarden.fault": entry.fault.code });
      for (const { code } of entry.refused) refusals.add(1, { ...named, "hookwarden.refusal": code });
    }
    const start = madeAt - decision.duration_us / 1_000;
    const span = tracer.startSpan(`hookwarden ${decision.hook_event_name}`, {
      kind: SpanKind.INTERNAL,
      startTime: start,
      attributes: attributesOf(decision),
    });
    if (span.isRecording()) traceHooks(decision, trace.setSpan(context.active(), span), start, madeAt);
    span.end(madeAt);
  };

  /**
   * Durations of hooks are known, the moments at which they began are not: the spans stand one behind the other, and side
   * by side where they took longer than the decision, as parallel hooks do.
   */
  function traceHooks({ trace: entries }: Decision, inside: Context, start: number, end: number): void {
    let at = start;
    for (const entry of entries) {
      if (entry.outcome === "not-matched" || entry.outcome === "not-run") continue;
      const took = entry.duration_us / 1_000;
      at = Math.max(start, Math.min(at, end - took));
      const attributes = hookAttributes(entry);
      const child = tracer.startSpan(`hook ${entry.hook}`, { startTime: at, attributes }, inside);
      if (entry.fault) child.setStatus({ code: SpanStatusCode.ERROR, message: entry.fault.code });
      at = Math.min(at + took, end);
      child.end(at);
    }
  }
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
    ...(entry.fault ? { "hookwarden.fault": entry.fault.code, "error.type": entry.fault.code } : {}),
  };
}
