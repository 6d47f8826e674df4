import { describe, expect, test } from "vitest";
import type { FakeHook } from "../support/fake-pack.ts";
import { FakeFault } from "../support/fake-sandbox.ts";
import { decideOnce, fakeWarden, outline } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = sampleEvent("PreToolUse");

const guard = (more: Partial<FakeHook> = {}): FakeHook => ({
  name: "guard",
  asked: ["deny", "ask", "allow", "notify", "add_context", "set_state", "halt"],
  run: ({ tool_input }) =>
    /rm -rf/.test(tool_input.command) ? { action: "deny", reason: "destructive" } : null,
  ...more,
});
const rewriter = (command: string, more: Partial<FakeHook> = {}): FakeHook => ({
  name: "rewriter",
  asked: ["modify_input"],
  run: () => ({ action: "modify_input", input: { command } }),
  ...more,
});

describe("a rewrite after a guard", () => {
  test("that makes the input forbidden is denied, by that guard", async () => {
    const decision = await decideOnce([guard(), rewriter("rm -rf /")], event);
    expect(decision).toMatchObject({
      verdict: "deny",
      decided_by: "guard",
      reason: "destructive",
      changes: {},
    });
    expect(outline(decision)).toEqual(["guard honoured", "rewriter discarded", "guard honoured (recheck)"]);
  });

  test("that stays harmless stands, and the trace shows the second look", async () => {
    const decision = await decideOnce([guard(), rewriter("ls -la")], event);
    expect(decision).toMatchObject({ verdict: "continue", changes: { tool_input: { command: "ls -la" } } });
    expect(outline(decision)).toEqual(["guard honoured", "rewriter honoured", "guard honoured (recheck)"]);
  });

  test("is looked at once more, not for ever, and only by guards before it", async () => {
    const after = guard({ name: "after" });
    const decision = await decideOnce(
      [guard(), rewriter("a"), guard({ name: "between" }), rewriter("b", { name: "second" }), after],
      event,
    );
    expect(outline(decision)).toEqual([
      "guard honoured",
      "rewriter honoured",
      "between honoured",
      "second honoured",
      "after honoured",
      "guard honoured (recheck)",
      "between honoured (recheck)",
    ]);
  });

  test("that changes nothing a guard can see needs no second look", async () => {
    const decision = await decideOnce(
      [guard({ reads: ["tool_name", "tool_input.command"] }), rewriter("ls")],
      event,
    );
    expect(outline(decision)).toEqual(["guard honoured", "rewriter honoured"]);
  });

  test("concerns no hook that can say nothing stronger than `continue`", async () => {
    const decision = await decideOnce([guard({ asked: ["notify"], run: () => null }), rewriter("x")], event);
    expect(outline(decision)).toEqual(["guard honoured", "rewriter honoured"]);
  });

  test("takes back an `allow` that was given to another input", async () => {
    const allower = guard({
      run: ({ tool_input }) => (tool_input.command === "ls" ? { action: "allow" } : null),
    });
    expect((await decideOnce([allower], event)).verdict).toBe("allow");
    expect(await decideOnce([allower, rewriter("curl x")], event)).toMatchObject({
      verdict: "continue",
      decided_by: null,
    });
  });

  test("a second run can return a stricter verdict", async () => {
    const asker = guard({
      run: ({ tool_input }) => (tool_input.command === "ls" ? null : { action: "ask", reason: "new" }),
    });
    expect(await decideOnce([asker, rewriter("curl x")], event)).toMatchObject({
      verdict: "ask",
      decided_by: "guard",
      changes: { tool_input: { command: "curl x" } },
    });
  });
});

describe("in the second run", () => {
  test("only the verdict of a second run has effect", async () => {
    let runs = 0;
    const noisy = guard({
      state: { scope: "session", maxBytes: 100 },
      asked: ["deny", "notify", "add_context", "set_state", "modify_input"],
      run: (_event, context) => {
        runs++;
        return [
          { action: "notify", text: `run ${runs}` },
          { action: "add_context", text: `run ${runs}` },
          { action: "set_state", value: (context.state ?? 0) + 1 },
          ...(runs === 2 ? [{ action: "modify_input", input: { command: "sneaked in" } }] : []),
        ];
      },
    });
    const { warden } = await fakeWarden([noisy, rewriter("x")]);
    const decision = await warden.dispatch(event);
    expect(runs).toBe(2);
    expect(decision.additions.notices.map(({ text }) => text)).toEqual(["run 1"]);
    expect(decision.additions.context.map(({ text }) => text)).toEqual(["run 1"]);
    expect(decision.changes).toEqual({ tool_input: { command: "x" } });
    expect(decision.trace.at(-1)).toMatchObject({ recheck: true, outcome: "honoured", actions: [] });
    expect(decision.trace.at(-1)?.note).toContain("notify, add_context, set_state, modify_input");
  });

  test("a guard has the state that it had in the first", async () => {
    const seen: unknown[] = [];
    const stateful = guard({
      state: { scope: "session", maxBytes: 100 },
      run: (_event, context) => {
        seen.push(context.state);
        return { action: "set_state", value: (context.state ?? 0) + 1 };
      },
    });
    const { warden } = await fakeWarden([stateful, rewriter("x")]);
    await warden.dispatch(event);
    await warden.dispatch(event);
    expect(seen).toEqual([null, null, 1, 1]);
  });

  test("a fault in a second run fails closed as in the first", async () => {
    let runs = 0;
    const brittle = guard({
      run: () => {
        if (++runs === 2) throw new FakeFault("memory-exceeded");
      },
    });
    const decision = await decideOnce([brittle, rewriter("x")], event);
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "guard", changes: {} });
    expect(decision.trace.at(-1)).toMatchObject({
      recheck: true,
      outcome: "faulted",
      fault: { code: "memory-exceeded" },
    });
  });

  test("an illegal action is refused as in the first", async () => {
    let runs = 0;
    const turncoat = guard({ run: () => (++runs === 2 ? { action: "augment", text: "x" } : null) });
    const decision = await decideOnce([turncoat, rewriter("x")], event);
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "guard" });
    expect(decision.trace.at(-1)).toMatchObject({ recheck: true, refused: [{ code: "illegal-action" }] });
  });

  test("a stop keeps the guards behind it from running again, and parallel hooks from running at all", async () => {
    const decision = await decideOnce(
      [
        guard(),
        guard({ name: "other" }),
        rewriter("rm -rf /"),
        { name: "beside", mode: "parallel", run: () => ({ action: "notify", text: "x" }) },
      ],
      event,
    );
    expect(outline(decision)).toEqual([
      "guard honoured",
      "other honoured",
      "rewriter discarded",
      "guard honoured (recheck)",
      "other not-run (recheck)",
      "beside not-run",
    ]);
  });

  test("a guard that failed open in the first gets its chance", async () => {
    let runs = 0;
    const shaky = guard({
      onFailure: "open",
      run: ({ tool_input }) => {
        if (++runs === 1) throw new Error("x");
        return { action: "deny", reason: `saw ${tool_input.command}` };
      },
    });
    expect(await decideOnce([shaky, rewriter("new")], event)).toMatchObject({
      verdict: "deny",
      reason: "saw new",
    });
  });
});

test("a guard that rewrites the event itself has spoken of what it wrote", async () => {
  const both = guard({
    asked: ["ask", "modify_input"],
    run: ({ tool_input }) =>
      tool_input.command === "ls"
        ? [
            { action: "modify_input", input: { command: "ls ." } },
            { action: "ask", reason: "?" },
          ]
        : null,
  });
  const alone = await decideOnce([both], event);
  expect(alone).toMatchObject({ verdict: "ask", changes: { tool_input: { command: "ls ." } } });
  expect(outline(alone)).toEqual(["guard honoured"]);
  // Behind it, another rewrite takes its word back, and its own rewrite is gone as well.
  const followed = await decideOnce([both, rewriter("pwd")], event);
  expect(followed).toMatchObject({ verdict: "continue", changes: { tool_input: { command: "pwd" } } });
});
