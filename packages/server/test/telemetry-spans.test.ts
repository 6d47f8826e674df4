import { EventEmitter } from "node:events";
import {
  context,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Exchange } from "../src/http/exchange.ts";
import { HttpTelemetry } from "../src/http/telemetry.ts";
import { eventOf, guard } from "../../../test/bench/server/setup.ts";
import { startTestServer } from "./support.ts";

const exporter = new InMemorySpanExporter();
const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentId}-01`;
const encoded = (event: object): Buffer => Buffer.from(JSON.stringify(event));
const named = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);

const sdk = new NodeSDK({
  autoDetectResources: false,
  metricReaders: [],
  logRecordProcessors: [],
  spanProcessors: [new SimpleSpanProcessor({ exporter })],
});
beforeAll(() => sdk.start());
beforeEach(() => exporter.reset());
afterAll(async () => {
  await sdk.shutdown();
  for (const api of [context, metrics, propagation, trace]) api.disable();
});

test("a question that comes over another channel than HTTP has a span of the server too", async () => {
  await using server = await startTestServer({ telemetry: true });
  await server.tenant("acme", guard);
  exporter.reset();
  const { status } = await server.server.decisions.decide({
    tenant: "acme",
    body: encoded(eventOf()),
    traceparent,
  });
  expect(status).toBe(200);
  const asked = named("hookwarden decide")!;
  expect(asked.kind).toBe(SpanKind.SERVER);
  expect(asked.spanContext().traceId).toBe(traceId);
  expect(asked.parentSpanContext?.spanId).toBe(parentId);
  expect(asked.attributes).toEqual({ "hookwarden.tenant": "acme" });
  const decision = named("hookwarden PreToolUse")!;
  expect(decision.parentSpanContext?.spanId).toBe(asked.spanContext().spanId);
  expect(named("hook guard")!.parentSpanContext?.spanId).toBe(decision.spanContext().spanId);
  expect(exporter.getFinishedSpans()).toHaveLength(3);
});

test("a refusal is recorded by its code, and is not an error of the server", async () => {
  await using server = await startTestServer({ telemetry: true });
  await server.tenant("acme");
  exporter.reset();
  const dialect = "a-dialect-that-there-is-not";
  await server.server.decisions.decide({ tenant: "acme", body: encoded(eventOf()), traceparent, dialect });
  const asked = named("hookwarden decide")!;
  expect(asked.attributes).toEqual({ "hookwarden.tenant": "acme", "hookwarden.problem": "no-pack" });
  expect(asked.status.code).toBe(SpanStatusCode.UNSET);
});

test("the decisions of a stream are children of the request's span", async () => {
  await using server = await startTestServer({ telemetry: true });
  const { client } = await server.tenant("acme", guard);
  exporter.reset();
  const events = [eventOf("s1"), eventOf("s2"), eventOf("s3")];
  for await (const answered of client.decideStream(events, { traceparent }))
    expect(answered).toHaveProperty("answer");
  const decisions = (): readonly { parentSpanContext?: { spanId: string } }[] =>
    exporter.getFinishedSpans().filter(({ name }) => name === "hookwarden PreToolUse");
  await expect.poll(() => named("POST /v1/decisions")).toBeDefined();
  const asked = named("POST /v1/decisions")!;
  expect(asked.parentSpanContext?.spanId).toBe(parentId);
  expect(decisions()).toHaveLength(3);
  for (const decision of decisions())
    expect(decision.parentSpanContext?.spanId).toBe(asked.spanContext().spanId);
});

/** A request as the server sees it, with a response that can be ended. */
function exchange(headers: object = {}) {
  const response = Object.assign(new EventEmitter(), { statusCode: 200, headersSent: false });
  const request = { method: "POST", url: "/v1/decisions?token=SECRET", httpVersion: "1.1", headers };
  const one = { id: "r1", route: "/v1/decisions", request, response } as unknown as Exchange;
  return { response, one };
}
const principal = { id: "k1", tenant: "acme", scopes: new Set<"decide">(["decide"]) };

test("what an instrumentation of HTTP has begun goes on: its span is the parent, and the header is not read again", () => {
  const telemetry = new HttpTelemetry();
  const { response, one } = exchange({ traceparent });
  const outer = trace.getTracer("http").startSpan("POST", { kind: SpanKind.SERVER });
  context.with(trace.setSpan(ROOT_CONTEXT, outer), () => telemetry.arrive(one));
  telemetry.admit(one, principal);
  response.headersSent = true;
  response.emit("close");
  const span = named("POST /v1/decisions")!;
  expect(span.kind).toBe(SpanKind.INTERNAL);
  expect(span.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  expect(span.attributes["http.response.status_code"]).toBe(200);
  expect(JSON.stringify(span.attributes)).not.toContain("SECRET");
});

test("a failure of our own is an error, and so is a client that has gone before its answer", () => {
  const telemetry = new HttpTelemetry();
  const failed = exchange();
  telemetry.arrive(failed.one);
  telemetry.admit(failed.one, principal);
  telemetry.problem(failed.one.request, "log-failed");
  Object.assign(failed.response, { statusCode: 503, headersSent: true }).emit("close");
  const gone = exchange();
  telemetry.arrive(gone.one);
  telemetry.admit(gone.one, principal);
  gone.response.emit("close");
  const [first, second] = exporter.getFinishedSpans();
  expect(first).toMatchObject({
    attributes: { "error.type": "log-failed", "http.response.status_code": 503 },
    status: { code: SpanStatusCode.ERROR },
  });
  expect(second!.attributes).toMatchObject({ "error.type": "aborted" });
  expect(second!.attributes).not.toHaveProperty("http.response.status_code");
});
