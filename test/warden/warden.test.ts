import { describe, expect, test } from "vitest";
import { HookwardenError } from "../../src/errors/index.ts";
import { createWarden } from "../../src/warden/index.ts";
import { type FakeHook, fakePack } from "../support/fake-pack.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = sampleEvent("PreToolUse");
const quiet: FakeHook = { name: "quiet", run: () => null };

describe("options", () => {
  test.each([
    ["an unknown engine", { engine: "v8" }],
    ["an unknown isolation", { isolation: "none" }],
    ["isolate in this process", { engine: "isolate", isolation: "inline" }],
    ["a rate above 1", { crossCheck: 2 }],
    ["a rate that is no number", { crossCheck: Number.NaN }],
    ["no room for events", { maxEventBytes: 0 }],
    ["watching what is no folder", { watch: true }],
    ["a number of processes that makes no sense", { processes: { processes: 0 } }],
  ])("%s is refused", async (_, options) => {
    const pack = fakePack(new FakeSandbox(), [quiet]);
    await expect(createWarden({ pack, ...options } as never)).rejects.toMatchObject({
      code: "option-invalid",
    });
  });

  test.each([undefined, null, 3])("a pack that is %s is refused", async (pack) => {
    await expect(createWarden({ pack } as never)).rejects.toMatchObject({ code: "option-invalid" });
  });

  test("a pack that is not there is said so", async () => {
    await expect(createWarden({ pack: "/no/such/folder" })).rejects.toMatchObject({ code: "pack-not-found" });
  });
});

describe("a dispatch", () => {
  test("gives the decision's own form", async () => {
    const { warden } = await fakeWarden([{ name: "guard", run: () => ({ action: "deny", reason: "no" }) }]);
    const decision = await warden.dispatch(event, { decisionId: "d1", tenant: "acme" });
    expect(decision).toEqual({
      decision_id: "d1",
      hook_event_name: "PreToolUse",
      tenant: "acme",
      pack: warden.pack.digest,
      verdict: "deny",
      reason: "no",
      feedback: null,
      decided_by: "guard",
      changes: {},
      additions: { augment: null, messages: [], context: [], notices: [] },
      trace: [
        {
          hook: "guard",
          outcome: "honoured",
          actions: [{ action: "deny", reason: "no" }],
          refused: [],
          fault: null,
          recheck: false,
          steps: 1,
          duration_us: 1,
          memory_bytes: 0,
          logs: [],
        },
      ],
      duration_us: expect.any(Number),
    });
    expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
  });

  test("takes an object, text or bytes, and throws only for what the host does wrong", async () => {
    const { warden } = await fakeWarden([quiet], {}, { maxEventBytes: 200 });
    for (const input of [event, JSON.stringify(event), Buffer.from(JSON.stringify(event))]) {
      expect((await warden.dispatch(input)).verdict).toBe("continue");
    }
    await expect(warden.dispatch("{")).rejects.toMatchObject({ code: "event-not-json" });
    await expect(warden.dispatch({ ...event, cwd: "x".repeat(300) })).rejects.toMatchObject({
      code: "event-too-large",
    });
    await expect(warden.dispatch({ ...event, hook_event_name: "Nope" })).rejects.toBeInstanceOf(
      HookwardenError,
    );
  });

  test.each([
    { decisionId: "" },
    { decisionId: "two words" },
    { decisionId: "x".repeat(129) },
    { decisionId: 1 },
    { tenant: "" },
    { tenant: "a\nb" },
    { tenant: "\ud800" },
    { tenant: "x".repeat(257) },
    { time: "yesterday" },
    { time: Number.NaN },
    { time: 1e18 },
    { time: new Date(Number.NaN) },
  ])("with %j is refused", async (options) => {
    const { warden } = await fakeWarden([quiet]);
    await expect(warden.dispatch(event, options as never)).rejects.toMatchObject({ code: "option-invalid" });
  });

  test("a hook gets its arguments, limits, seed and clock, and `keep` only where contexts are kept", async () => {
    const hook: FakeHook = {
      ...quiet,
      reads: ["tool_name"],
      config: { level: 3 },
      limits: { steps: 12_345 },
    };
    const { warden, sandbox } = await fakeWarden([hook]);
    await warden.dispatch({ ...event, time: "2026-01-01T00:00:00Z" }, { tenant: "acme" });
    const [call] = sandbox.calls;
    expect(call).toMatchObject({
      tenant: "acme",
      handler: "PreToolUse",
      time: Date.UTC(2026, 0, 1),
      limits: { steps: 12_345 },
      args: [
        '{"hook_event_name":"PreToolUse","tool_name":"Bash"}',
        '{"hook":"quiet","config":{"level":3},"tenant":"acme","time":"2026-01-01T00:00:00Z","state":null}',
      ],
    });
    expect(call).not.toHaveProperty("keep");
    const kept = await fakeWarden([hook], {}, { pristine: false });
    await kept.warden.dispatch(event);
    expect(kept.sandbox.calls[0]).toHaveProperty("keep", "s1");
  });

  test("after the end is refused; those under way are made", async () => {
    let go = (): void => undefined;
    const slow: FakeHook = { name: "slow", run: () => new Promise<void>((resolve) => (go = resolve)) };
    const { warden } = await fakeWarden([slow]);
    const underWay = warden.dispatch(event);
    const ended = warden[Symbol.asyncDispose]();
    await expect(warden.dispatch(event)).rejects.toMatchObject({ code: "closed" });
    await expect(warden.reload()).rejects.toMatchObject({ code: "closed" });
    go();
    expect((await underWay).verdict).toBe("continue");
    await ended;
    await warden[Symbol.asyncDispose]();
  });

  test("leaves a sandbox of the host's own alone", async () => {
    const { warden, sandbox } = await fakeWarden([quiet]);
    await warden[Symbol.asyncDispose]();
    expect(sandbox.disposed).toBe(false);
  });
});

describe("listeners", () => {
  const noisy: FakeHook = { name: "noisy", run: () => ({ action: "augment", text: "x" }) };

  test("hear of decisions, faults and refusals", async () => {
    const { warden } = await fakeWarden([noisy]);
    const heard: unknown[] = [];
    for (const name of ["decision", "fault", "refused"] as const) {
      warden.on(name, (what: unknown) => void heard.push([name, what]));
    }
    const decision = await warden.dispatch(event, { decisionId: "d1" });
    const source = { decision_id: "d1", hook_event_name: "PreToolUse", tenant: "default", hook: "noisy" };
    expect(heard).toEqual([
      ["decision", decision],
      ["fault", { ...source, fault: decision.trace[0]!.fault }],
      ["refused", { ...source, refusal: decision.trace[0]!.refused[0] }],
    ]);
  });

  test("that throw change nothing", async () => {
    const { warden } = await fakeWarden([noisy]);
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
    warden.on("decision", () => {
      throw new Error("listener");
    });
    expect((await warden.dispatch(event)).verdict).toBe("deny");
    expect((await warned).message).toBe("listener");
  });

  test("a recorder is handed what a log needs, before the host gets its decision", async () => {
    const records: unknown[] = [];
    const counter: FakeHook = {
      name: "counter",
      state: { scope: "session", maxBytes: 100 },
      run: (_event, context) => ({ action: "set_state", value: (context.state ?? 0) + 1 }),
    };
    const { warden } = await fakeWarden(
      [counter, quiet],
      {},
      { recorder: async (record) => void records.push(record) },
    );
    await warden.dispatch(event);
    const decision = await warden.dispatch(event, { decisionId: "d2" });
    expect(records).toHaveLength(2);
    expect(records[1]).toMatchObject({
      decision,
      event: { ...event, time: "1970-01-01T00:00:00.000Z" },
      priorState: { counter: "1" },
      retries: {},
      reruns: 0,
      calls: [
        { hook: "counter", recheck: false, output: '{"action":"set_state","value":2}', fault: null },
        { hook: "quiet", recheck: false, output: null, fault: null },
      ],
    });
  });

  test("a recorder that fails makes the dispatch fail: what is not recorded is not decided", async () => {
    const { warden } = await fakeWarden(
      [quiet],
      {},
      { recorder: () => Promise.reject(new Error("disk full")) },
    );
    await expect(warden.dispatch(event)).rejects.toThrow("disk full");
  });
});

test("`hooks()` lists what is loaded", async () => {
  const { warden } = await fakeWarden([
    {
      ...quiet,
      on: [{ event: "PreToolUse", matcher: /^Bash$/ }],
      reads: ["tool_name"],
      asked: ["deny", "allow"],
      granted: ["deny"],
    },
  ]);
  expect(warden.hooks()).toEqual([
    {
      name: "quiet",
      version: "1.0.0",
      description: null,
      digest: expect.any(String),
      priority: 100,
      mode: "sequential",
      on: [{ event: "PreToolUse", matcher: "^Bash$", when: null }],
      reads: ["tool_name"],
      actions: ["continue", "deny"],
      state: null,
    },
  ]);
});
