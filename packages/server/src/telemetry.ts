import {
  type BatchObservableCallback,
  type Context,
  context,
  createContextKey,
  metrics,
  type ObservableGauge,
  propagation,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { dialects } from "hookwarden/dialects";
import type { DecisionRequest } from "./decision-service.ts";
import type { Overview } from "./operator.ts";
import { problemOf } from "./problem.ts";

/** Runs the work of a request inside its span. */
export type Traced = <T>(request: DecisionRequest, work: () => Promise<T>) => Promise<T>;

/**
 * Puts decisions inside the span of the request that asked for them. One that came over HTTP has a span already; one that
 * came over another channel gets it here.
 */
export function tracer(): Traced {
  const otel = trace.getTracer("hookwarden");
  return async (request, work) => {
    const outer = trace.getActiveSpan();
    if (outer) {
      describe(outer, request);
      return work();
    }
    const parent = parentOf(request.traceparent === undefined ? {} : { traceparent: request.traceparent });
    const span = otel.startSpan("hookwarden decide", { kind: SpanKind.SERVER }, parent);
    describe(span, request);
    try {
      return await context.with(trace.setSpan(parent, span), work);
    } catch (error) {
      const { status, code } = problemOf(error);
      recordProblem(span, status, code);
      throw error;
    } finally {
      span.end();
    }
  };
}

/** The context that the headers of a request name, in the way that the process's propagator reads them. */
export function parentOf(headers: object): Context {
  return propagation.extract(ROOT_CONTEXT, headers);
}

/** What became of a request that was not answered with success. Only what is our own failure makes the span one. */
export function recordProblem(span: Span, status: number, code: string): void {
  span.setAttribute("hookwarden.problem", code);
  if (status < 500) return;
  span.setAttribute("error.type", code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** What a server is doing at the moment, as its operators see it. */
type Load = Pick<Overview, "tenants" | "in_flight" | "waiting" | "quarantined">;

/** Gauges of what a server is doing, read when they are exported. Disposing of the answer ends that. */
export function observeLoad(load: () => Load): Disposable {
  const meter = metrics.getMeter("hookwarden");
  const gauge = (name: string, description: string): ObservableGauge =>
    meter.createObservableGauge(`hookwarden.${name}`, { description });
  const tenants = gauge("tenants", "tenants");
  const inFlight = gauge("decisions.in_flight", "decisions under way");
  const waiting = gauge("decisions.waiting", "decisions that wait for their turn");
  const quarantined = gauge("hooks.quarantined", "hooks in quarantine");
  const all = [tenants, inFlight, waiting, quarantined];
  const report: BatchObservableCallback = (result) => {
    const now = load();
    result.observe(tenants, now.tenants);
    result.observe(inFlight, now.in_flight);
    result.observe(waiting, now.waiting);
    result.observe(quarantined, now.quarantined);
  };
  meter.addBatchObservableCallback(report, all);
  return { [Symbol.dispose]: () => meter.removeBatchObservableCallback(report, all) };
}

/** What the process lacks for spans to arrive in one piece; empty where nothing does. */
export function missingForTelemetry(): readonly string[] {
  const provider = trace.getTracerProvider();
  const key = createContextKey("hookwarden");
  const keeps = context.with(ROOT_CONTEXT.setValue(key, true), () => context.active().getValue(key) === true);
  return [
    ...(provider instanceof ProxyTracerProvider && !provider.getDelegateTracer("hookwarden")
      ? ["tracer provider"]
      : []),
    ...(keeps ? [] : ["context manager"]),
    ...(propagation.fields().length > 0 ? [] : ["propagator"]),
  ];
}

function describe(span: Span, { tenant, dialect }: DecisionRequest): void {
  span.setAttribute("hookwarden.tenant", tenant);
  // As it came, it may be anything.
  if (dialect !== undefined && dialects.has(dialect)) span.setAttribute("hookwarden.dialect", dialect);
}
