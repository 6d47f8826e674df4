import { describe, expect, test } from "vitest";
import { RetryCounters } from "../../src/broker/retry-limit.ts";
import type { FakeHook } from "../support/fake-pack.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const retrier = (more: Partial<FakeHook> = {}): FakeHook => ({
  name: "retrier",
  on: ["Stop", "PreToolUse", "PostModelResponse"],
  reads: ["*", "say"],
  run: (event) => event.say,
  ...more,
});
const retry = { action: "retry", feedback: "again" };
const stop = (say: unknown, session = "s1"): object => sampleEvent("Stop", { say, session_id: session });

describe("a hook that sends the agent back", () => {
  test("is heard three times in a row; then its retry is refused, which is no fault", async () => {
    const { warden } = await fakeWarden([retrier()]);
    const verdicts = [];
    for (let index = 0; index < 100; index++) verdicts.push((await warden.dispatch(stop(retry))).verdict);
    expect(verdicts.slice(0, 3)).toEqual(["retry", "retry", "retry"]);
    expect(new Set(verdicts.slice(3))).toEqual(new Set(["continue"]));
    const last = await warden.dispatch(stop(retry));
    expect(last.trace[0]).toMatchObject({
      outcome: "refused",
      actions: [],
      fault: null,
      refused: [{ action: "retry", code: "retry-limit" }],
    });
  });

  test("starts again after another verdict", async () => {
    const { warden } = await fakeWarden([retrier()]);
    for (const say of [retry, retry, retry]) await warden.dispatch(stop(say));
    expect((await warden.dispatch(stop(null))).verdict).toBe("continue");
    expect((await warden.dispatch(stop(retry))).verdict).toBe("retry");
  });

  test("is not set back by what it says at another event in between", async () => {
    const { warden } = await fakeWarden([retrier()]);
    const verdicts = [];
    for (let index = 0; index < 5; index++) {
      verdicts.push((await warden.dispatch(stop(retry))).verdict);
      await warden.dispatch(sampleEvent("PreToolUse", { say: null }));
    }
    expect(verdicts).toEqual(["retry", "retry", "retry", "continue", "continue"]);
  });

  test("`block` at Stop counts as well, and a block elsewhere does not", async () => {
    const { warden } = await fakeWarden([retrier()]);
    const block = { action: "block", reason: "go on" };
    const verdicts = [];
    for (let index = 0; index < 4; index++) verdicts.push((await warden.dispatch(stop(block))).verdict);
    expect(verdicts).toEqual(["block", "block", "block", "continue"]);
    for (let index = 0; index < 5; index++) {
      expect((await warden.dispatch(sampleEvent("PostModelResponse", { say: block }))).verdict).toBe("block");
    }
  });

  test("is counted per session, tenant and hook", async () => {
    const { warden } = await fakeWarden([retrier()]);
    for (let index = 0; index < 4; index++) await warden.dispatch(stop(retry));
    expect((await warden.dispatch(stop(retry, "s2"))).verdict).toBe("retry");
    expect((await warden.dispatch(stop(retry), { tenant: "other" })).verdict).toBe("retry");
  });

  test("keeps the other actions of the answer", async () => {
    const { warden } = await fakeWarden([retrier()]);
    const say = [retry, { action: "notify", text: "noted" }];
    for (let index = 0; index < 3; index++) await warden.dispatch(stop(say));
    const decision = await warden.dispatch(stop(say));
    expect(decision).toMatchObject({ verdict: "continue", additions: { notices: [{ text: "noted" }] } });
    expect(decision.trace[0]).toMatchObject({
      outcome: "honoured",
      actions: [{ action: "notify" }],
      refused: [{ code: "retry-limit" }],
    });
  });

  test("is not counted where another hook stopped the step", async () => {
    const { warden } = await fakeWarden([
      retrier(),
      {
        name: "halter",
        on: ["Stop"],
        reads: ["halt"],
        run: (event) => (event.halt ? { action: "halt", reason: "x" } : null),
      },
    ]);
    for (let index = 0; index < 5; index++) {
      expect((await warden.dispatch({ ...stop(retry), halt: true })).verdict).toBe("halt");
    }
    expect((await warden.dispatch(stop(retry))).verdict).toBe("retry");
  });
});

test("counters are bounded for each tenant and in all, and a flood pushes out its own only", () => {
  const counters = new RetryCounters(3, 2);
  const key = (tenant: string, session: string) => ({ tenant, session, event: "Stop", hook: "h" }) as const;
  counters.add(key("a", "kept"));
  for (let index = 0; index < 10; index++) counters.add(key("flood", `s${index}`));
  expect(counters.count(key("a", "kept"))).toBe(1);
  expect([7, 8, 9].map((index) => counters.count(key("flood", `s${index}`)))).toEqual([0, 1, 1]);
  for (const tenant of ["b", "c"]) counters.add(key(tenant, "s"));
  expect(counters.count(key("a", "kept"))).toBe(0);
});

test("a retry in an answer that was refused is not counted, even where another hook's retry makes the decision", async () => {
  const { warden } = await fakeWarden(
    [
      retrier({ name: "steady", reads: ["steady"], run: (event) => event.steady }),
      retrier({ name: "wordy", reads: ["wordy"], run: (event) => event.wordy }),
    ],
    { budgets: { injectionBytes: 3 } },
  );
  const wordy = [retry, { action: "add_context", text: "too much" }];
  for (let index = 0; index < 3; index++) {
    const decision = await warden.dispatch({ ...sampleEvent("Stop"), steady: retry, wordy });
    expect(decision).toMatchObject({
      verdict: "retry",
      decided_by: "steady",
      trace: [{}, { outcome: "refused" }],
    });
  }
  const decision = await warden.dispatch({ ...sampleEvent("Stop"), wordy: retry });
  expect(decision).toMatchObject({ verdict: "retry", decided_by: "wordy" });
});
