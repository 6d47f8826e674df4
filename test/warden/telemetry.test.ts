import { context, metrics, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { TracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeHook } from "../support/fake-pack.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const spans = new InMemorySpanExporter();
const points = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: points, exportIntervalMillis: 3_600_000 });
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});
afterAll(async () => {
  await reader.shutdown();
  trace.disable();
  metrics.disable();
  context.disable();
});

const hooks: FakeHook[] = [
  { name: "quiet", run: () => null },
  { name: "elsewhere", on: [{ event: "PreToolUse", matcher: /^Edit$/ }], run: () => null },
  { name: "noisy", onFailure: "open", run: () => ({ action: "augment", text: "SECRET" }) },
  { name: "guard", run: () => ({ action: "deny", reason: 'r"} 1\nhook_total{tenant="other"} 999' }) },
];

test("a decision is a span with one for each hook that ran, inside that of the host", async () => {
  const { warden } = await fakeWarden(hooks, {}, { telemetry: true });
  const host = trace.getTracer("host");
  await host.startActiveSpan("agent", async (span) => {
    await warden.dispatch(sampleEvent("PreToolUse"), { decisionId: "d1" });
    span.end();
  });
  const finished = spans.getFinishedSpans();
  const named = (name: string) => finished.find((span) => span.name === name);
  expect(finished.map(({ name }) => name).sort()).toEqual([
    "agent",
    "hook guard",
    "hook noisy",
    "hook quiet",
    "hookwarden PreToolUse",
  ]);
  const decision = named("hookwarden PreToolUse")!;
  expect(decision.attributes).toMatchObject({
    "hookwarden.decision_id": "d1",
    "hookwarden.verdict": "deny",
    "hookwarden.decided_by": "guard",
  });
  expect(decision.parentSpanContext?.spanId).toBe(named("agent")!.spanContext().spanId);
  expect(named("hook noisy")!.parentSpanContext?.spanId).toBe(decision.spanContext().spanId);
  expect(named("hook noisy")!.attributes).toMatchObject({
    "hookwarden.fault": "illegal-action",
    "hookwarden.outcome": "refused",
  });
  // What hooks write is of any form and number: none of it is a name or a label.
  expect(
    JSON.stringify(finished.map(({ name, attributes, status }) => [name, attributes, status])),
  ).not.toMatch(/SECRET|999/);
});

test("decisions, faults and refusals are counted by names from closed sets", async () => {
  const { warden } = await fakeWarden(hooks, {}, { telemetry: true });
  points.reset();
  await warden.dispatch(sampleEvent("PreToolUse"));
  await reader.forceFlush();
  const found = points
    .getMetrics()
    .at(-1)!
    .scopeMetrics.flatMap((scope) => scope.metrics)
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes }) => [descriptor.name, attributes]),
    );
  const event = { "hookwarden.event": "PreToolUse" };
  const denied = { ...event, "hookwarden.verdict": "deny" };
  const noisy = { ...event, "hookwarden.hook": "noisy" };
  expect(found).toContainEqual(["hookwarden.decisions", denied]);
  expect(found).toContainEqual(["hookwarden.faults", { ...noisy, "hookwarden.fault": "illegal-action" }]);
  expect(found).toContainEqual(["hookwarden.refusals", { ...noisy, "hookwarden.refusal": "illegal-action" }]);
  expect(found).toContainEqual(["hookwarden.decision.duration", denied]);
});

test("without the option nothing listens", async () => {
  spans.reset();
  const { warden } = await fakeWarden(hooks);
  await warden.dispatch(sampleEvent("PreToolUse"));
  expect(warden.listenerCount("decision")).toBe(0);
  expect(spans.getFinishedSpans()).toEqual([]);
});
