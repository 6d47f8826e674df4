import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { MemoryStateStore } from "../../src/state/memory.ts";
import type { StateRecord, StateStore, StateWrite } from "../../src/state/store.ts";
import type { FakeHook } from "../support/fake-pack.ts";
import { fakeWarden, outline } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = (session = "s1"): object => sampleEvent("PreToolUse", { session_id: session });
const counter = (more: Partial<FakeHook> = {}): FakeHook => ({
  name: "counter",
  state: { scope: "session", maxBytes: 1_000 },
  run: (_event, context) => [
    { action: "set_state", value: (context.state ?? 0) + 1 },
    { action: "notify", text: String(context.state) },
  ],
  ...more,
});
const seen = async (
  warden: Awaited<ReturnType<typeof fakeWarden>>["warden"],
  session?: string,
  tenant?: string,
) =>
  (await warden.dispatch(event(session), tenant === undefined ? {} : { tenant })).additions.notices[0]?.text;

describe("state", () => {
  test("of scope `session` is kept per tenant, hook and session", async () => {
    const { warden } = await fakeWarden([counter()]);
    expect([
      await seen(warden),
      await seen(warden),
      await seen(warden, "s2"),
      await seen(warden, "s1", "t2"),
    ]).toEqual(["null", "1", "null", "null"]);
  });

  test("of scope `tenant` is kept across its sessions", async () => {
    const { warden } = await fakeWarden([counter({ state: { scope: "tenant", maxBytes: 100 } })]);
    expect([await seen(warden), await seen(warden, "s2"), await seen(warden, "s1", "t2")]).toEqual([
      "null",
      "1",
      "null",
    ]);
  });

  test("a hook cannot see the state of another hook", async () => {
    const { warden } = await fakeWarden([
      counter(),
      counter({ name: "other", run: (_e, context) => ({ action: "notify", text: String(context.state) }) }),
    ]);
    await warden.dispatch(event());
    expect((await warden.dispatch(event())).additions.notices.map(({ text }) => text)).toEqual(["1", "null"]);
  });

  test("setting `null` deletes the state", async () => {
    const { warden } = await fakeWarden([
      counter({
        run: (_e, context) => [
          { action: "set_state", value: context.state === null ? { n: 1 } : null },
          { action: "notify", text: JSON.stringify(context.state) },
        ],
      }),
    ]);
    expect([await seen(warden), await seen(warden), await seen(warden)]).toEqual(["null", '{"n":1}', "null"]);
  });

  test("is not kept where the answer was refused, and stands where another hook stops the step", async () => {
    const { warden } = await fakeWarden([
      counter({
        reads: ["*", "bad"],
        onFailure: "open",
        run: (seenEvent, context) => [
          { action: "set_state", value: (context.state ?? 0) + 1 },
          { action: "notify", text: String(context.state) },
          ...(seenEvent.bad ? [{ action: "augment", text: "illegal here" }] : []),
        ],
      }),
      { name: "stopper", reads: ["stop"], run: (e) => (e.stop ? { action: "deny", reason: "x" } : null) },
    ]);
    await warden.dispatch({ ...event(), bad: true });
    expect(await seen(warden)).toBe("null");
    await warden.dispatch({ ...event(), stop: true });
    expect(await seen(warden)).toBe("2");
  });

  test("of the stopping hook itself stands", async () => {
    const { warden } = await fakeWarden([
      counter({
        run: (_e, context) => [
          { action: "set_state", value: (context.state ?? 0) + 1 },
          { action: "deny", reason: String(context.state) },
        ],
      }),
    ]);
    await warden.dispatch(event());
    expect((await warden.dispatch(event())).reason).toBe("1");
  });
});

describe("calls that share a state", () => {
  test("run one after another; others do not wait", async () => {
    const running = new Map<string, number>();
    let together = 0;
    let most = 0;
    const { warden } = await fakeWarden([
      counter({
        run: async (e, context) => {
          const inSession = (running.get(e.session_id) ?? 0) + 1;
          running.set(e.session_id, inSession);
          most = Math.max(most, inSession);
          together = Math.max(
            together,
            [...running.values()].reduce((a, b) => a + b),
          );
          await sleep(2);
          running.set(e.session_id, inSession - 1);
          return { action: "set_state", value: (context.state ?? 0) + 1 };
        },
      }),
    ]);
    await Promise.all(Array.from({ length: 40 }, (_, index) => warden.dispatch(event(`s${index % 4}`))));
    expect(most).toBe(1);
    expect(together).toBe(4);
  });

  test("concurrent decisions lose no state writes", async () => {
    const { warden } = await fakeWarden([
      counter({
        state: { scope: "tenant", maxBytes: 100 },
        run: async (_e, context) => {
          await sleep(0);
          return [
            { action: "set_state", value: (context.state ?? 0) + 1 },
            { action: "notify", text: String(context.state) },
          ];
        },
      }),
    ]);
    await Promise.all(Array.from({ length: 200 }, () => warden.dispatch(event())));
    expect(await seen(warden)).toBe("200");
  });
});

/** A store in which somebody else writes first, so many times. */
class ContestedStore implements StateStore {
  readonly inner = new MemoryStateStore();
  readonly read = (key: Parameters<StateStore["read"]>[0]): StateRecord | null => this.inner.read(key);
  intruders: number;
  constructor(intruders: number) {
    this.intruders = intruders;
  }
  async commit(writes: readonly StateWrite[]): Promise<boolean> {
    await sleep(0);
    if (this.intruders-- > 0) return false;
    return this.inner.commit(writes);
  }
}

describe("a store", () => {
  test("in which another process was quicker makes the decision be made again", async () => {
    let runs = 0;
    const store = new ContestedStore(3);
    const { warden } = await fakeWarden(
      [counter({ run: () => [{ action: "set_state", value: ++runs }] })],
      {},
      { store },
    );
    const decision = await warden.dispatch(event());
    expect(runs).toBe(4);
    expect(outline(decision)).toEqual(["counter honoured"]);
  });

  test.each([
    [
      "cannot be read",
      {
        read: () => {
          throw new Error("x");
        },
        commit: () => true,
      },
    ],
    ["rejects a read", { read: () => Promise.reject(new Error("x")), commit: () => true }],
    [
      "cannot be written",
      {
        read: () => null,
        commit: () => {
          throw new Error("x");
        },
      },
    ],
    ["rejects a write", { read: () => null, commit: () => Promise.reject(new Error("x")) }],
  ])("that %s makes a fault of each hook that keeps state, and of no other", async (_, store) => {
    const { warden, sandbox } = await fakeWarden(
      [counter(), { name: "other", run: () => null }],
      {},
      { store: store as StateStore },
    );
    const decision = await warden.dispatch(event());
    // A store that failed is not asked again and again.
    expect(sandbox.calls.filter(({ program }) => program.name === "counter").length).toBeLessThanOrEqual(1);
    expect(decision).toMatchObject({
      verdict: "deny",
      decided_by: "counter",
      trace: [{ fault: { code: "state-unavailable" } }, { outcome: "not-run" }],
    });
    const { warden: open } = await fakeWarden(
      [counter({ onFailure: "open" }), { name: "other", run: () => ({ action: "ask", reason: "?" }) }],
      {},
      { store: store as StateStore },
    );
    expect(await open.dispatch(event())).toMatchObject({ verdict: "ask", decided_by: "other" });
  });

  test("that is full makes a fault, not an opening", async () => {
    const { warden } = await fakeWarden(
      [counter()],
      {},
      { store: new MemoryStateStore({ maxBytesPerTenant: 10 }) },
    );
    expect(await warden.dispatch(event())).toMatchObject({
      verdict: "deny",
      trace: [{ fault: { code: "state-unavailable" } }],
    });
  });

  test("is asked nothing for hooks without state, or that do not listen", async () => {
    const store = {
      read: () => {
        throw new Error("asked");
      },
      commit: () => {
        throw new Error("asked");
      },
    } as StateStore;
    const { warden } = await fakeWarden(
      [{ name: "plain", run: () => null }, counter({ on: [{ event: "PreToolUse", matcher: /^Edit$/ }] })],
      {},
      { store },
    );
    expect((await warden.dispatch(event())).verdict).toBe("continue");
  });
});
