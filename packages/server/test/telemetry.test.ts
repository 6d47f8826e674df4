import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createClient } from "@hookwarden/client";
import { type CollectedSpan, type Collector, startCollector } from "./otlp-collector.ts";
import { startTestServer } from "./support.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The example of the page, as users will have it. */
function example(): string {
  const page = readFileSync(join(root, "docs/server.md"), "utf8");
  const code = /```js\n(\/\/ telemetry\.js\n.*?)```/s.exec(page)?.[1];
  if (code === undefined) throw new Error("docs/server.md has no telemetry.js any more");
  return code;
}

// Each stands where something could leak from, and nowhere else.
const secrets = {
  input: "SECRET-of-the-input",
  session: "SECRET-of-the-session",
  reason: "SECRET-of-the-reason",
  notice: "SECRET-of-the-notice",
  log: "SECRET-of-the-log",
  thrown: "SECRET-of-the-error",
  header: "SECRET-of-the-header",
  dialect: "SECRET-of-the-dialect",
  stranger: "SECRET-of-the-stranger",
};

const hooks: { readonly [name: string]: { readonly body: string; readonly more?: object } } = {
  speaker: {
    body: `console.log("${secrets.log}"); return [{ action: "notify", text: "${secrets.notice}" }];`,
    more: { actions: ["notify"] },
  },
  broken: { body: `throw new Error("${secrets.thrown}");`, more: { actions: ["notify"], onFailure: "open" } },
  guard: {
    body: `if (String(event.tool_input.command).includes("SECRET")) return { action: "deny", reason: "${secrets.reason}" };`,
    more: { actions: ["deny"] },
  },
};

const files = {
  "hookwarden.json": JSON.stringify({
    apiVersion: 1,
    hooks: Object.keys(hooks),
    grants: { broken: { onFailure: "open" } },
  }),
  ...Object.fromEntries(
    Object.entries(hooks).flatMap(([name, { body, more }]) => [
      [
        `${name}/hook.json`,
        JSON.stringify({
          apiVersion: 1,
          name,
          version: "1.0.0",
          entry: "hook.js",
          on: [{ event: "PreToolUse" }],
          reads: ["tool_input", "session_id"],
          ...more,
        }),
      ],
      [`${name}/hook.js`, `export default (event) => { ${body} };`],
    ]),
  ),
};

function eventOf(command: string): object {
  return {
    hook_event_name: "PreToolUse",
    session_id: secrets.session,
    tool_name: "Bash",
    tool_input: { command },
  };
}

const newTrace = (flags = "01") => {
  const [traceId, parent] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, parent, header: `00-${traceId}-${parent}-${flags}` };
};

describe("a server whose process has an OpenTelemetry SDK", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-otel-"));
  let collector: Collector;
  let child: ChildProcess;
  let notes = "";
  let keys: readonly string[] = [];
  const traces = {
    one: newTrace(),
    batch: newTrace(),
    unsampled: newTrace("00"),
    stranger: newTrace(),
    refused: newTrace(),
    many: Array.from({ length: 12 }, () => newTrace()),
  };
  const of = ({ traceId }: { readonly traceId: string }): CollectedSpan[] =>
    collector.spans.filter((span) => span.traceId === traceId);
  let problem: { code: string; request_id: string };

  beforeAll(async () => {
    collector = await startCollector();
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    writeFileSync(join(folder, "telemetry.js"), example());
    writeFileSync(join(folder, "count.js"), `console.error("imported by a thread");`);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const imports = ["--import", "./telemetry.js", "--import", "./count.js"];
    const serve = ["serve", "--data", "data", "--port", "0", "--telemetry"];
    child = spawn(process.execPath, [...imports, join(root, "src/cli/main.ts"), ...serve], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_METRICS_EXPORTER: "otlp",
        OTEL_METRIC_EXPORT_INTERVAL: "300",
        OTEL_METRIC_EXPORT_TIMEOUT: "300",
        // The other way in which users tell a process what to import.
        NODE_OPTIONS: "--conditions=hookwarden-source --import ./count.js",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stderr!.setEncoding("utf8").on("data", (text: string) => (notes += text));
    const [url] = (await once(createInterface(child.stdout!), "line")) as [string];
    const operatorKey = readFileSync(join(folder, "data/operator.key"), "utf8").trim();
    const operator = createClient({ url, key: operatorKey });
    await operator.putTenant("acme");
    const { key } = await operator.makeKey({
      tenant: "acme",
      name: "agents",
      scopes: ["decide", "packs", "audit"],
    });
    keys = [operatorKey, key];
    await createClient({ url, key }).putPack("acme", { files });
    const ask = (body: object, traceparent: string, more: { readonly [name: string]: string } = {}) =>
      fetch(`${url}/v1/decisions`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          traceparent,
          ...more,
        },
        body: JSON.stringify(body),
      });
    const decided = await ask(eventOf(`echo ${secrets.input}`), traces.one.header, {
      "x-token": secrets.header,
      baggage: `token=${secrets.header}`,
    });
    expect(await decided.json()).toMatchObject({ verdict: "deny", decided_by: "guard" });
    await ask([eventOf("ls"), eventOf(secrets.input)], traces.batch.header);
    await ask(eventOf("ls"), traces.unsampled.header);
    await ask(eventOf("ls"), traces.stranger.header, { authorization: `Bearer ${secrets.stranger}` });
    const refused = await ask({ hook_event_name: secrets.input }, traces.refused.header);
    problem = (await refused.json()) as typeof problem;
    await Promise.all(traces.many.map(({ header }) => ask(eventOf("ls"), header)));
    await ask(eventOf("ls"), newTrace().header, { "hookwarden-dialect": secrets.dialect });
    // Gauges are read while the server stands, and some may have been while it was at work.
    const last = (name: string): number | undefined =>
      collector.points.find(({ metric }) => metric === `hookwarden.${name}`)?.count;
    await vi.waitUntil(() => last("hooks.quarantined") === 1 && last("decisions.in_flight") === 0, {
      timeout: 20_000,
    });
    // What is left goes to the collector when the server has ended.
    child.kill("SIGTERM");
    await new Promise((done) => child.on("close", done));
  });

  afterAll(async () => {
    child.kill("SIGKILL");
    await collector[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("makes one trace of a request: the agent's span, its own, the decision's, one for each hook", () => {
    const spans = of(traces.one);
    expect(spans.map(({ name }) => name).sort()).toEqual([
      "POST /v1/decisions",
      "hook broken",
      "hook guard",
      "hook speaker",
      "hookwarden PreToolUse",
    ]);
    const named = (name: string): CollectedSpan => spans.find((span) => span.name === name)!;
    const server = named("POST /v1/decisions");
    const decision = named("hookwarden PreToolUse");
    expect(server).toMatchObject({
      parentSpanId: traces.one.parent,
      kind: 2,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/decisions",
        "http.response.status_code": 200,
        "url.path": "/v1/decisions",
        "url.scheme": "http",
        "hookwarden.tenant": "acme",
      },
    });
    expect(decision).toMatchObject({
      parentSpanId: server.spanId,
      kind: 1,
      attributes: { "hookwarden.verdict": "deny", "hookwarden.decided_by": "guard" },
    });
    for (const name of Object.keys(hooks)) {
      expect(named(`hook ${name}`)).toMatchObject({
        parentSpanId: decision.spanId,
        attributes: { "hookwarden.hook": name },
      });
    }
    expect(named("hook broken")).toMatchObject({
      attributes: { "error.type": "threw", "hookwarden.fault": "threw" },
      status: { code: 2, message: "threw" },
    });
    expect(named("hook speaker").attributes["hookwarden.outcome"]).toBe("honoured");
  });

  test("puts every span within the time of its parent", () => {
    const byId = new Map(collector.spans.map((span) => [span.spanId, span]));
    let looked = 0;
    for (const span of collector.spans) {
      const parent = byId.get(span.parentSpanId ?? "");
      expect(span.end).toBeGreaterThanOrEqual(span.start);
      if (!parent) continue;
      looked++;
      expect(span.start, span.name).toBeGreaterThanOrEqual(parent.start);
      expect(span.end, span.name).toBeLessThanOrEqual(parent.end);
    }
    expect(looked).toBeGreaterThan(30);
  });

  test("has the decisions of a batch in the trace of their request", () => {
    const spans = of(traces.batch);
    const server = spans.find(({ name }) => name === "POST /v1/decisions")!;
    const decisions = spans.filter(({ name }) => name === "hookwarden PreToolUse");
    expect(decisions.map(({ parentSpanId }) => parentSpanId)).toEqual([server.spanId, server.spanId]);
    expect(decisions.map(({ attributes }) => attributes["hookwarden.verdict"]).sort()).toEqual([
      "continue",
      "deny",
    ]);
    expect(spans).toHaveLength(1 + 2 + 6);
  });

  test("keeps requests apart that come at the same time", () => {
    for (const trace of traces.many) {
      const spans = of(trace);
      expect(spans).toHaveLength(5);
      expect(spans.filter(({ parentSpanId }) => parentSpanId === trace.parent)).toHaveLength(1);
    }
  });

  // A client that controls sampling can fill the trace store; unauthenticated clients may not even write there.
  test("has no span for one without a credential, nor in a trace that is not sampled", () => {
    expect(of(traces.stranger)).toEqual([]);
    expect(of(traces.unsampled)).toEqual([]);
  });

  test("records the problem of a refused request, under the id in its answer", () => {
    const spans = of(traces.refused);
    expect(spans).toHaveLength(1);
    expect(spans[0]!.attributes).toMatchObject({
      "http.response.status_code": 400,
      "hookwarden.problem": problem.code,
      "hookwarden.request_id": problem.request_id,
    });
    // A client's mistake is not an error of the server.
    expect(spans[0]!.status.code ?? 0).toBe(0);
  });

  test("counts requests and decisions, with labels from closed sets only", () => {
    const { points } = collector;
    const count = (metric: string, attributes: object): number =>
      points
        .filter((point) => point.metric === metric)
        .filter((point) =>
          Object.entries(attributes).every(([name, value]) => point.attributes[name] === value),
        )
        .reduce((sum, point) => sum + point.count, 0);
    const route = { "http.request.method": "POST", "http.route": "/v1/decisions" };
    const duration = "http.server.request.duration";
    expect(count(duration, { ...route, "http.response.status_code": 200 })).toBe(15);
    expect(count(duration, { ...route, "http.response.status_code": 400 })).toBe(1);
    expect(count(duration, { ...route, "http.response.status_code": 401 })).toBe(1);
    const event = { "hookwarden.event": "PreToolUse" };
    expect(count("hookwarden.decisions", { ...event, "hookwarden.verdict": "deny" })).toBe(2);
    expect(count("hookwarden.decisions", { ...event, "hookwarden.verdict": "continue" })).toBe(14);
    expect(count("hookwarden.decision.duration", event)).toBe(16);
    // After five failures the hook is in quarantine, and its fault another one.
    expect(count("hookwarden.faults", event)).toBe(16);
    expect(count("hookwarden.faults", { ...event, "hookwarden.fault": "threw" })).toBeGreaterThanOrEqual(5);
    expect(points.find(({ metric }) => metric === duration)!.unit).toBe("s");
    for (const [metric, value] of [
      ["hookwarden.tenants", 1],
      ["hookwarden.decisions.in_flight", 0],
      ["hookwarden.decisions.waiting", 0],
      ["hookwarden.hooks.quarantined", 1],
    ] as const) {
      expect([metric, count(metric, {})]).toEqual([metric, value]);
    }
    // Names that tenants choose would make time series without end.
    expect(JSON.stringify(points)).not.toMatch(/speaker|broken|guard|acme/);
  });

  test("sends nothing of an event, of a hook's words, of a header or of a key", () => {
    for (const secret of [...Object.values(secrets), ...keys]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(collector.raw).not.toContain(secret);
      expect(notes).not.toContain(secret);
    }
    expect(collector.raw).toContain("hook guard");
  });

  test("has one SDK, not one more in each of its threads", () => {
    expect(notes.match(/imported by a thread/g)).toHaveLength(1);
    expect(notes).not.toContain("telemetry-incomplete");
  });
});

test("a server whose process has no SDK says that its telemetry goes nowhere", async () => {
  await using server = await startTestServer({ telemetry: true });
  const line = server.lines
    .map((text) => JSON.parse(text))
    .find(({ event }) => event === "telemetry-incomplete");
  expect(line.missing).toEqual(["tracer provider", "context manager", "propagator"]);
  const { client } = await server.tenant("acme", files);
  expect(await client.decide(eventOf("ls") as never)).toMatchObject({ verdict: "continue" });
});
