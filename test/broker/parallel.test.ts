import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { FakeHook } from "../support/fake-pack.ts";
import { decideOnce, outline } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = sampleEvent("PreToolUse");
const add = (name: string, delayMs: number, more: Partial<FakeHook> = {}): FakeHook => ({
  name,
  mode: "parallel",
  run: async (seen) => {
    await sleep(delayMs);
    return { action: "add_context", text: `${name} saw ${seen.tool_input.command}` };
  },
  ...more,
});

describe("parallel hooks", () => {
  test("run after all sequential ones, on the final event, and are collected in their order", async () => {
    const decision = await decideOnce(
      [
        add("slow", 30),
        {
          name: "writer",
          asked: ["modify_input"],
          run: () => ({ action: "modify_input", input: { command: "final" } }),
        },
        add("quick", 1),
        add("urgent", 15, { priority: 1 }),
      ],
      event,
    );
    expect(decision.additions.context.map(({ text }) => text)).toEqual([
      "urgent saw final",
      "slow saw final",
      "quick saw final",
    ]);
    expect(outline(decision)).toEqual([
      "writer honoured",
      "urgent honoured",
      "slow honoured",
      "quick honoured",
    ]);
  });

  test("parallel hooks run concurrently", async () => {
    let running = 0;
    let most = 0;
    const hook = (name: string): FakeHook => ({
      name,
      mode: "parallel",
      run: async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
      },
    });
    await decideOnce([hook("a"), hook("b"), hook("c")], event);
    expect(most).toBe(3);
  });

  test.each([
    { action: "deny", reason: "no" },
    { action: "halt", reason: "no" },
    { action: "allow" },
    { action: "modify_input", input: {} },
  ])("may return additions only, not $action", async (answer) => {
    const decision = await decideOnce(
      [{ name: "beside", mode: "parallel", onFailure: "open", run: () => answer }, add("other", 0)],
      event,
    );
    expect(decision).toMatchObject({ verdict: "continue", changes: {} });
    expect(decision.trace[0]).toMatchObject({ outcome: "refused", fault: { code: "illegal-action" } });
    expect(decision.additions.context).toHaveLength(1);
  });

  test("parallel hooks do not run after a stop", async () => {
    const decision = await decideOnce(
      [add("beside", 0), { name: "stopper", run: () => ({ action: "deny", reason: "no" }) }],
      event,
    );
    expect(outline(decision)).toEqual(["stopper honoured", "beside not-run"]);
  });

  test("share the injection budget in their order, whichever ends first", async () => {
    const hook = (name: string, delayMs: number): FakeHook => ({
      name,
      mode: "parallel",
      asked: ["add_context"],
      run: async () => {
        await sleep(delayMs);
        return { action: "add_context", text: "12345" };
      },
    });
    const decision = await decideOnce([hook("slow", 20), hook("quick", 0)], event, {
      budgets: { injectionBytes: 7 },
    });
    expect(decision.additions.context.map((part) => part.hook)).toEqual(["slow"]);
    expect(decision.trace[1]).toMatchObject({ hook: "quick", fault: { code: "injection-overflow" } });
  });

  test("a fault that is closed stops the step; what ran beside it counts for nothing", async () => {
    const thrower: FakeHook = {
      name: "thrower",
      mode: "parallel",
      onFailure: "closed",
      run: async () => {
        await sleep(10);
        throw new Error("x");
      },
    };
    const noisy: FakeHook = { name: "noisy", mode: "parallel", run: () => ({ action: "notify", text: "x" }) };
    const decision = await decideOnce([{ ...noisy, name: "before" }, thrower, noisy], event);
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "thrower" });
    expect(outline(decision)).toEqual(["before honoured", "thrower faulted", "noisy discarded"]);
    expect(decision.additions.notices.map(({ hook }) => hook)).toEqual(["before"]);
  });
});
