import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { FakeHook } from "../support/fake-pack.ts";
import { FakeFault } from "../support/fake-sandbox.ts";
import { decideOnce, outline } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = sampleEvent("PreToolUse");
const quiet = (name: string, more: Partial<FakeHook> = {}): FakeHook => ({
  name,
  asked: ["notify"],
  run: () => null,
  ...more,
});

describe("the most hooks of an event", () => {
  test("those above it do not run, which is no fault of one that guards nothing", async () => {
    const decision = await decideOnce([quiet("a"), quiet("b"), quiet("c")], event, {
      budgets: { maxHooks: 2 },
    });
    expect(outline(decision)).toEqual(["a honoured", "b honoured", "c not-run"]);
    expect(decision.trace[2]?.note).toContain("budgets.maxHooks");
  });

  test("a guard above it is a fault, and closes", async () => {
    const decision = await decideOnce([quiet("a"), quiet("guard", { asked: ["deny"] }), quiet("b")], event, {
      budgets: { maxHooks: 1 },
    });
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "guard" });
    expect(decision.trace[1]).toMatchObject({ outcome: "faulted", fault: { code: "budget-exceeded" } });
    expect(outline(decision)).toEqual(["a honoured", "guard faulted", "b not-run"]);
  });

  test("hooks that do not listen are not counted, and no second runs", async () => {
    const decision = await decideOnce(
      [
        quiet("elsewhere", { on: [{ event: "PreToolUse", matcher: /^Edit$/ }] }),
        quiet("guard", { asked: ["deny"] }),
        { name: "writer", asked: ["modify_input"], run: () => ({ action: "modify_input", input: {} }) },
      ],
      event,
      { budgets: { maxHooks: 2 } },
    );
    expect(outline(decision)).toEqual([
      "elsewhere not-matched",
      "guard honoured",
      "writer honoured",
      "guard honoured (recheck)",
    ]);
  });
});

describe("the time of a decision", () => {
  const slow = quiet("slow", {
    run: async () => {
      await sleep(40);
    },
  });

  test("guards that do not get to run are faults, and close", async () => {
    const decision = await decideOnce([slow, quiet("b"), quiet("guard", { asked: ["ask"] })], event, {
      budgets: { decisionMs: 20 },
    });
    expect(outline(decision)).toEqual(["slow honoured", "b not-run", "guard faulted"]);
    expect(decision).toMatchObject({
      verdict: "deny",
      decided_by: "guard",
      trace: [{}, {}, { fault: { code: "budget-exceeded" } }],
    });
  });

  test("a second run that comes too late closes as well", async () => {
    const decision = await decideOnce(
      [
        quiet("guard", { asked: ["deny"] }),
        {
          name: "writer",
          asked: ["modify_input"],
          run: async () => {
            await sleep(40);
            return { action: "modify_input", input: {} };
          },
        },
      ],
      event,
      { budgets: { decisionMs: 20 } },
    );
    expect(outline(decision)).toEqual(["guard honoured", "writer discarded", "guard faulted (recheck)"]);
    expect(decision.verdict).toBe("deny");
  });

  test("a call gets no more than what is left", async () => {
    const given: (number | undefined)[] = [];
    const late = quiet("late", {
      limits: { wallMs: 100 },
      run: (_event, _context, call) => void given.push(call.limits.wallMs, call.budgetMs),
    });
    await decideOnce([late], event, { budgets: { decisionMs: 50 } });
    await decideOnce([late], event, { budgets: { decisionMs: 5_000 } });
    await decideOnce([slow, late], event, { budgets: { decisionMs: 120 } });
    expect(given.slice(0, 5)).toEqual([100, 50, 100, 5_000, 100]);
    // About 80 are left; timers may fire a little early.
    expect(given[5]).toBeLessThanOrEqual(90);
  });

  test("running out is the host's fault where others had used most of it, and the hook's own where not", async () => {
    const endless = quiet("endless", {
      limits: { wallMs: 1_000 },
      run: async (_event, _context, call) => {
        await sleep(Math.min(call.limits.wallMs, call.budgetMs ?? Infinity) + 2);
        throw new FakeFault("timeout");
      },
    });
    // Far from the end of the budget, so that a busy machine does not get there.
    const slower = quiet("slower", { limits: { wallMs: 1_000 }, run: () => sleep(600) });
    const faultOf = async (hooks: readonly FakeHook[]): Promise<string | undefined> =>
      (await decideOnce(hooks, event, { budgets: { decisionMs: 1_000 } })).trace.at(-1)?.fault?.code;
    expect(await faultOf([slower, endless])).toBe("budget-exceeded");
    expect(await faultOf([endless])).toBe("timeout");
    // A promise that nothing can settle is a timeout at once.
    const stuck = quiet("stuck", {
      limits: { wallMs: 1_000 },
      run: () => {
        throw new FakeFault("timeout");
      },
    });
    expect(
      (await decideOnce([slow, stuck], event, { budgets: { decisionMs: 5_000 } })).trace.at(-1)?.fault?.code,
    ).toBe("timeout");
  });
});

test("an event larger than the hook's `inputBytes`, context included, is `input-too-large`, and the hook is not called", async () => {
  let called = 0;
  const hook = quiet("a", { asked: ["deny"], limits: { inputBytes: 1_024 }, run: () => void called++ });
  const text = (length: number): object =>
    sampleEvent("PreToolUse", { tool_input: { command: "ä".repeat(length) } });
  expect((await decideOnce([hook], text(600))).trace[0]?.fault?.code).toBe("input-too-large");
  expect(called).toBe(0);
  expect((await decideOnce([hook], text(300))).trace[0]?.fault).toBeNull();
  expect((await decideOnce([{ ...hook, reads: ["tool_name"] }], text(600))).trace[0]?.fault).toBeNull();
  expect(called).toBe(2);
});
