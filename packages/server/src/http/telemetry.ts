import {
  type Attributes,
  type Context,
  context,
  type Histogram,
  metrics,
  type Span,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import type { IncomingMessage } from "node:http";
import { preciseNow } from "hookwarden/broker";
import type { Principal } from "../principal.ts";
import type { Exchange } from "./exchange.ts";
import { parentOf, recordProblem } from "../telemetry.ts";

/** One request, from its arrival to the end of its answer. */
interface Seen {
  /** In milliseconds since 1970. */
  readonly begun: number;
  /** Around whatever saw the request before, such as an instrumentation of `node:http`. */
  readonly outer: Context;
  span: Span | null;
  /** With the span in it. */
  inner: Context;
  problem: string | null;
}

/** Bounds of the histogram in seconds, as the conventions advise. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
const methods: ReadonlySet<string> = new Set([
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "HEAD",
  "OPTIONS",
  "PATCH",
  "TRACE",
]);

/**
 * Spans and metrics of HTTP requests, by OpenTelemetry's semantic conventions for HTTP servers.
 *
 * Every request is in the metric. Only one with a valid credential has a span: unauthenticated clients must neither write into our traces, nor
 * say with a header of theirs which of them are kept. Of what was sent there is method, path and route, and nothing else.
 */
export class HttpTelemetry {
  readonly #tracer = trace.getTracer("hookwarden");
  readonly #duration: Histogram;
  readonly #seen = new WeakMap<IncomingMessage, Seen>();

  constructor() {
    this.#duration = metrics.getMeter("hookwarden").createHistogram("http.server.request.duration", {
      unit: "s",
      description: "Duration of HTTP server requests.",
      advice: { explicitBucketBoundaries: bounds },
    });
  }

  /** A request has come. */
  arrive(exchange: Exchange): void {
    const outer = context.active();
    const seen: Seen = { begun: preciseNow(), outer, span: null, inner: outer, problem: null };
    this.#seen.set(exchange.request, seen);
    // Comes also where the other side has gone before its answer.
    exchange.response.once("close", () => this.#end(exchange, seen));
  }

  /** Whose request it is: from here it has a span. */
  admit({ id, request, route }: Exchange, principal: Principal): void {
    const seen = this.#seen.get(request);
    if (!seen) return;
    const inside = trace.getSpanContext(seen.outer) !== undefined;
    const parent = inside ? seen.outer : parentOf(request.headers);
    const { method = "GET", url = "/", httpVersion } = request;
    seen.span = this.#tracer.startSpan(
      `${method} ${route}`,
      {
        kind: inside ? SpanKind.INTERNAL : SpanKind.SERVER,
        startTime: seen.begun,
        attributes: {
          "http.request.method": method,
          "http.route": route ?? "",
          "url.scheme": "http",
          "url.path": url.split("?", 1)[0],
          "network.protocol.version": httpVersion,
          "hookwarden.request_id": id,
          ...(principal.tenant === null ? {} : { "hookwarden.tenant": principal.tenant }),
        },
      },
      parent,
    );
    seen.inner = trace.setSpan(parent, seen.span);
  }

  /** Runs work inside the span of its request. */
  within<T>({ request }: Exchange, work: () => T): T {
    const seen = this.#seen.get(request);
    return seen?.span ? context.with(seen.inner, work) : work();
  }

  /** A request is answered with a problem. */
  problem(request: IncomingMessage, code: string): void {
    const seen = this.#seen.get(request);
    if (seen) seen.problem = code;
  }

  #end({ request, response, route }: Exchange, seen: Seen): void {
    const { method = "GET" } = request;
    const { begun, span, problem } = seen;
    const ended = Math.max(preciseNow(), begun);
    const { statusCode: status, headersSent: isAnswered } = response;
    // One that ends in the middle of its answer is no error: streams of what happens end in no other way.
    const error = !isAnswered ? "aborted" : status >= 500 ? (problem ?? String(status)) : null;
    const outcome: Attributes = {
      ...(isAnswered ? { "http.response.status_code": status } : {}),
      ...(error === null ? {} : { "error.type": error }),
    };
    this.#duration.record((ended - begun) / 1_000, {
      "http.request.method": methods.has(method) ? method : "_OTHER",
      "url.scheme": "http",
      ...(route === null ? {} : { "http.route": route }),
      ...outcome,
    });
    if (!span) return;
    span.setAttributes(outcome);
    if (problem !== null) recordProblem(span, status, problem);
    span.end(ended);
  }
}
