import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { DecisionRequest } from "./decision-service.ts";
import { problemOf } from "./problem.ts";

/** Version 00 of W3C Trace Context; ids of zeros are invalid. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Runs work inside a span of the trace that a request says it belongs to. */
export function tracer(): <T>(request: DecisionRequest, work: () => Promise<T>) => Promise<T> {
  const otel = trace.getTracer("hookwarden");
  return async (request, work) => {
    const parts = request.traceparent === undefined ? null : traceparent.exec(request.traceparent);
    const parent = parts
      ? trace.setSpanContext(ROOT_CONTEXT, {
          traceId: parts[1] as string,
          spanId: parts[2] as string,
          traceFlags: Number.parseInt(parts[3] as string, 16) & 1,
          isRemote: true,
        })
      : ROOT_CONTEXT;
    const attributes = {
      "hookwarden.tenant": request.tenant,
      ...(request.dialect ? { "hookwarden.dialect": request.dialect } : {}),
    };
    const span = otel.startSpan("hookwarden decide", { kind: SpanKind.SERVER, attributes }, parent);
    try {
      return await context.with(trace.setSpan(parent, span), work);
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: problemOf(error).code });
      throw error;
    } finally {
      span.end();
    }
  };
}
