import { describe, expect, test } from "vitest";
import type { FakeHook } from "../support/fake-pack.ts";
import { FakeFault } from "../support/fake-sandbox.ts";
import { decideOnce, outline } from "../support/fake-warden.ts";
import { sampleEvent } from "../support/sample-events.ts";

const preTool = sampleEvent("PreToolUse");
const say = (name: string, answer: unknown, more: Partial<FakeHook> = {}): FakeHook => ({
  name,
  run: () => answer,
  ...more,
});

describe("order", () => {
  test("ascending priority, then place in the pack", async () => {
    const seen: string[] = [];
    const hook = (name: string, priority?: number): FakeHook => ({
      name,
      ...(priority === undefined ? {} : { priority }),
      run: () => void seen.push(name),
    });
    await decideOnce(
      [hook("late", 200), hook("first-of-default"), hook("early", -5), hook("second-of-default", 100)],
      preTool,
    );
    expect(seen).toEqual(["early", "first-of-default", "second-of-default", "late"]);
  });

  test("each hook sees the event as rewritten so far, and one that says nothing loses no earlier rewrite", async () => {
    const seen: unknown[] = [];
    const decision = await decideOnce(
      [
        {
          name: "a",
          asked: ["modify_input"],
          run: () => ({ action: "modify_input", input: { command: "a" } }),
        },
        { name: "b", asked: ["modify_input"], run: (event) => void seen.push(event.tool_input) },
        {
          name: "c",
          asked: ["modify_input"],
          run: (event) => ({ action: "modify_input", input: { command: `${event.tool_input.command}+c` } }),
        },
      ],
      preTool,
    );
    expect(seen).toEqual([{ command: "a" }]);
    expect(decision.changes).toEqual({ tool_input: { command: "a+c" } });
    expect(decision.trace[0]?.overwritten).toEqual(["tool_input"]);
    expect(decision.trace[2]?.overwritten).toBeUndefined();
  });

  test("a hook that does not listen is `not-matched`, also behind a stop", async () => {
    const decision = await decideOnce(
      [
        say(
          "elsewhere",
          { action: "halt", reason: "x" },
          { on: [{ event: "PreToolUse", matcher: /^Edit$/ }] },
        ),
        say("stopper", { action: "deny", reason: "no" }),
        say("behind", null),
        say("elsewhere-too", null, { on: [{ event: "PreToolUse", matcher: /^Write$/ }] }),
        say("another-event", null, { on: ["PostToolUse"] }),
      ],
      preTool,
    );
    expect(outline(decision)).toEqual([
      "elsewhere not-matched",
      "stopper honoured",
      "behind not-run",
      "elsewhere-too not-matched",
    ]);
    expect(decision.trace[2]?.note).toContain("stopper");
  });

  test("one of several matchers is enough; without the field only a hook without a matcher listens", async () => {
    const two: FakeHook = say(
      "two",
      { action: "notify", text: "x" },
      {
        on: [
          { event: "SessionStart", matcher: /^resume$/ },
          { event: "SessionStart", matcher: /^startup$/ },
        ],
      },
    );
    const all = say("all", null, { on: ["SessionStart"] });
    expect(outline(await decideOnce([two, all], sampleEvent("SessionStart")))).toEqual([
      "two honoured",
      "all honoured",
    ]);
    expect(
      outline(await decideOnce([two, all], { hook_event_name: "SessionStart", session_id: "s" })),
    ).toEqual(["two not-matched", "all honoured"]);
  });
});

describe("verdicts", () => {
  test.each(["halt", "deny", "skip"])(
    "the first %s ends the chain, even before a stricter one",
    async (action) => {
      const decision = await decideOnce(
        [say("one", { action, reason: "mine" }), say("two", { action: "halt", reason: "later" })],
        preTool,
      );
      expect(decision).toMatchObject({ verdict: action, reason: "mine", decided_by: "one", feedback: null });
      expect(outline(decision)).toEqual(["one honoured", "two not-run"]);
    },
  );

  test("a dropped chunk ends the chain", async () => {
    const decision = await decideOnce(
      [
        say("filter", { action: "drop_chunk" }, { on: ["ModelResponseChunk"] }),
        say("two", null, { on: ["ModelResponseChunk"] }),
      ],
      sampleEvent("ModelResponseChunk"),
    );
    expect(decision).toMatchObject({ verdict: "drop_chunk", decided_by: "filter", reason: null });
    expect(outline(decision)).toEqual(["filter honoured", "two not-run"]);
  });

  test("`allow` never overrides a stricter word, whichever comes first", async () => {
    const ask = say("asker", { action: "ask", reason: "sure?" });
    const allow = say("allower", { action: "allow", reason: "fine" });
    for (const hooks of [
      [ask, allow],
      [allow, ask],
    ]) {
      expect(await decideOnce(hooks, preTool)).toMatchObject({
        verdict: "ask",
        decided_by: "asker",
        reason: "sure?",
      });
    }
    expect(await decideOnce([allow, say("quiet", { action: "continue" })], preTool)).toMatchObject({
      verdict: "allow",
      decided_by: "allower",
    });
    expect(await decideOnce([allow, say("denier", { action: "deny", reason: "no" })], preTool)).toMatchObject(
      {
        verdict: "deny",
        decided_by: "denier",
      },
    );
  });

  test("the first `retry` keeps its name, and feedbacks are joined", async () => {
    const retry = (name: string): FakeHook =>
      say(name, { action: "retry", feedback: `${name} says` }, { on: ["Stop"] });
    const decision = await decideOnce([retry("one"), retry("two"), retry("three")], sampleEvent("Stop"));
    expect(decision).toMatchObject({
      verdict: "retry",
      decided_by: "one",
      reason: null,
      feedback: "one says\ntwo says\nthree says",
    });
  });

  test("no answer is `continue`, decided by no hook", async () => {
    const decision = await decideOnce(
      [say("a", undefined), say("b", { action: "continue" }), say("c", [{ action: "continue" }])],
      preTool,
    );
    expect(decision).toMatchObject({ verdict: "continue", decided_by: null, reason: null, changes: {} });
    expect(outline(decision)).toEqual(["a honoured", "b honoured", "c honoured"]);
  });

  test("no hooks at all is `continue`", async () => {
    expect(await decideOnce([], preTool)).toMatchObject({ verdict: "continue", trace: [], changes: {} });
  });
});

describe("a stop", () => {
  test("discards changes and what was added for the model, and says so; notices stand, those of the stopper too", async () => {
    const decision = await decideOnce(
      [
        say(
          "changer",
          [
            { action: "modify_input", input: { command: "x" } },
            { action: "notify", text: "changed" },
          ],
          { asked: ["modify_input", "notify"] },
        ),
        say("adder", { action: "add_context", text: "for the model" }),
        say("noter", { action: "notify", text: "seen" }),
        say("asker", { action: "ask", reason: "sure?" }),
        say("stopper", [
          { action: "deny", reason: "no" },
          { action: "add_context", text: "lost" },
          { action: "notify", text: "stopped" },
        ]),
      ],
      preTool,
    );
    expect(decision).toMatchObject({ verdict: "deny", changes: {}, decided_by: "stopper" });
    expect(decision.additions).toMatchObject({ augment: null, messages: [], context: [] });
    expect(decision.additions.notices.map(({ hook, text }) => [hook, text])).toEqual([
      ["changer", "changed"],
      ["noter", "seen"],
      ["stopper", "stopped"],
    ]);
    expect(outline(decision)).toEqual([
      "changer discarded",
      "adder discarded",
      "noter honoured",
      "asker honoured",
      "stopper honoured",
    ]);
    expect(decision.trace[0]?.note).toMatch(/discarded: modify_input; .*stopper/);
    expect(decision.trace[4]?.note).toMatch(/discarded: add_context/);
  });

  test("halt beats augment", async () => {
    const decision = await decideOnce(
      [
        say("adder", { action: "augment", text: "x" }, { on: ["PostToolUse"] }),
        say("stopper", { action: "halt", reason: "enough" }, { on: ["PostToolUse"] }),
      ],
      sampleEvent("PostToolUse"),
    );
    expect(decision).toMatchObject({ verdict: "halt", additions: { augment: null } });
  });
});

describe("additions", () => {
  test("augments are joined with a newline, in order, with their authors", async () => {
    const decision = await decideOnce(
      [
        say(
          "a",
          [
            { action: "augment", text: "one" },
            { action: "augment", text: "two" },
          ],
          { on: ["PostToolUse"] },
        ),
        say("b", { action: "augment", text: "three" }, { on: ["PostToolUse"] }),
      ],
      sampleEvent("PostToolUse"),
    );
    expect(decision.additions.augment).toEqual({
      text: "one\ntwo\nthree",
      parts: [
        { hook: "a", trust: "third-party", text: "one" },
        { hook: "a", trust: "third-party", text: "two" },
        { hook: "b", trust: "third-party", text: "three" },
      ],
    });
  });

  test("injected messages keep order, role and durability; `durable` is false unless said", async () => {
    const decision = await decideOnce(
      [
        say(
          "a",
          {
            action: "inject",
            durable: true,
            messages: [
              { role: "user", content: "1" },
              { role: "system", content: "2" },
            ],
          },
          {
            on: ["SessionStart"],
            roles: ["user", "system"],
          },
        ),
        say("b", { action: "inject", messages: [{ role: "user", content: "3" }] }, { on: ["SessionStart"] }),
      ],
      sampleEvent("SessionStart"),
    );
    expect(decision.additions.messages).toEqual([
      { hook: "a", trust: "third-party", text: "1", role: "user", durable: true },
      { hook: "a", trust: "third-party", text: "2", role: "system", durable: true },
      { hook: "b", trust: "third-party", text: "3", role: "user", durable: false },
    ]);
  });

  test("role `system` needs a grant", async () => {
    const decision = await decideOnce(
      [
        say(
          "a",
          { action: "inject", messages: [{ role: "system", content: "obey" }] },
          { on: ["UserPromptSubmit"] },
        ),
      ],
      sampleEvent("UserPromptSubmit"),
    );
    expect(decision.trace[0]?.fault?.code).toBe("ungranted-action");
    expect(decision.additions.messages).toEqual([]);
  });
});

describe("changes", () => {
  test("a result and its error flag are two fields; each has its own last writer", async () => {
    const post = (name: string, answer: unknown): FakeHook => say(name, answer, { on: ["PostToolUse"] });
    const decision = await decideOnce(
      [
        post("a", { action: "replace_result", result: { n: 1 }, is_error: true }),
        post("b", { action: "replace_result", result: ["n", 2] }),
      ],
      sampleEvent("PostToolUse"),
    );
    expect(decision.changes).toEqual({ tool_response: ["n", 2], is_error: true });
    expect(decision.trace[0]?.overwritten).toEqual(["tool_response"]);
  });

  test("the host's event object is not modified", async () => {
    const event = sampleEvent("PreToolUse");
    const before = structuredClone(event);
    await decideOnce([say("a", { action: "modify_input", input: {} }, { asked: ["modify_input"] })], event);
    expect(event).toEqual(before);
  });
});

describe("the budget for injection", () => {
  const add = (name: string, text: string, more: Partial<FakeHook> = {}): FakeHook =>
    say(name, { action: "add_context", text }, { asked: ["add_context"], ...more });

  test("counts bytes of UTF-8 of all hooks together, and the one that exceeds it faults by name", async () => {
    const hooks = [add("a", "12345"), add("b", "ää"), add("c", "x")];
    const decision = await decideOnce(hooks, preTool, { budgets: { injectionBytes: 9 } });
    expect(decision.additions.context.map(({ hook }) => hook)).toEqual(["a", "b"]);
    expect(decision.trace[2]).toMatchObject({
      hook: "c",
      outcome: "refused",
      fault: { code: "injection-overflow" },
      refused: [{ action: "add_context", code: "injection-overflow" }],
    });
    expect(decision.trace[2]?.fault?.message).toContain("0 of 9");
  });

  test("notices cost nothing, and the whole answer of the one that overflows goes", async () => {
    const decision = await decideOnce(
      [
        say("a", [
          { action: "notify", text: "x".repeat(100) },
          { action: "add_context", text: "12345" },
        ]),
      ],
      preTool,
      { budgets: { injectionBytes: 4 } },
    );
    expect(decision.verdict).toBe("deny");
    expect(decision.additions.notices).toEqual([]);
    const free = await decideOnce([say("a", { action: "notify", text: "x".repeat(100) })], preTool, {
      budgets: { injectionBytes: 0 },
    });
    expect(free.additions.notices).toHaveLength(1);
  });

  test("a hook that faulted has used nothing up", async () => {
    const decision = await decideOnce([add("a", "x".repeat(10)), add("b", "12345")], preTool, {
      budgets: { injectionBytes: 5 },
    });
    expect(decision.additions.context.map(({ hook }) => hook)).toEqual(["b"]);
  });
});

describe("a fault", () => {
  const crash = (name: string, more: Partial<FakeHook> = {}): FakeHook => ({
    name,
    run: () => {
      throw new FakeFault("timeout");
    },
    ...more,
  });

  test("of a hook that fails closed stops the step in a sentence of the host", async () => {
    const decision = await decideOnce([crash("guard"), say("behind", null)], preTool);
    expect(decision).toMatchObject({ verdict: "deny", decided_by: "guard" });
    expect(decision.reason).toBe("hook `guard` failed, and fails closed: the time ran out (timeout)");
    expect(outline(decision)).toEqual(["guard faulted", "behind not-run"]);
  });

  test("of a hook that fails open lets the step go on, and stands in the trace", async () => {
    const decision = await decideOnce(
      [crash("guard", { onFailure: "open" }), say("behind", { action: "ask", reason: "?" })],
      preTool,
    );
    expect(decision).toMatchObject({ verdict: "ask", decided_by: "behind" });
    expect(decision.trace[0]).toMatchObject({ outcome: "faulted", fault: { code: "timeout" } });
  });

  test.each([
    ["SessionStart", "halt"],
    ["UserPromptSubmit", "block"],
    ["ModelResponseChunk", "drop_chunk"],
    ["PreToolUse", "deny"],
    ["PostToolUse", "block"],
    ["Stop", "continue"],
    ["Notification", "continue"],
  ] as const)("at %s becomes %s", async (event, verdict) => {
    expect((await decideOnce([crash("guard", { on: [event] })], sampleEvent(event))).verdict).toBe(verdict);
  });

  test("a hook that may only add fails open", async () => {
    const decision = await decideOnce([crash("adder", { asked: ["add_context", "notify"] })], preTool);
    expect(decision.verdict).toBe("continue");
  });

  test("discards what came before it, when it is closed", async () => {
    const decision = await decideOnce(
      [say("changer", { action: "modify_input", input: {} }, { asked: ["modify_input"] }), crash("guard")],
      preTool,
    );
    expect(decision.changes).toEqual({});
    expect(outline(decision)).toEqual(["changer discarded", "guard faulted"]);
  });

  test("the reason never holds what the hook threw", async () => {
    const decision = await decideOnce(
      [
        {
          name: "guard",
          run: () => {
            throw new Error("PAYLOAD \u001b[2J timeout");
          },
        },
      ],
      preTool,
    );
    expect(decision.reason).not.toContain("PAYLOAD");
    expect(decision.trace[0]?.fault?.message).toBe("PAYLOAD [2J timeout");
  });

  test("a sandbox that throws or rejects is a crash of nobody's hook", async () => {
    for (const call of [
      () => {
        throw new Error("broken");
      },
      () => Promise.reject(new Error("broken")),
    ]) {
      const sandbox = { engine: "quickjs", version: "0", call, forget: () => undefined } as never;
      const decision = await decideOnce([say("guard", null)], preTool, {}, { sandbox });
      expect(decision).toMatchObject({ verdict: "deny", trace: [{ fault: { code: "crashed" } }] });
    }
  });
});

describe("monitor mode", () => {
  const everything: FakeHook[] = [
    say("denier", [
      { action: "deny", reason: "no" },
      { action: "notify", text: "x" },
    ]),
    say("changer", { action: "modify_input", input: {} }, { asked: ["modify_input"] }),
    say("illegal", { action: "augment", text: "x" }),
    {
      name: "thrower",
      run: () => {
        throw new Error("x");
      },
    },
  ];

  test("of a pack runs everything on the event as it came, honours nothing, and records what would have been", async () => {
    const decision = await decideOnce(everything, preTool, { monitor: true });
    expect(decision).toMatchObject({ verdict: "continue", decided_by: null, changes: {}, reason: null });
    expect(decision.additions).toEqual({ augment: null, messages: [], context: [], notices: [] });
    expect(decision.trace.map(({ outcome }) => outcome)).toEqual([
      "monitored",
      "monitored",
      "monitored",
      "monitored",
    ]);
    expect(decision.trace[0]?.actions).toHaveLength(2);
    expect(decision.trace[2]?.fault?.code).toBe("illegal-action");
    expect(decision.trace[3]?.fault?.code).toBe("threw");
  });

  test("of one hook leaves the others alone", async () => {
    const decision = await decideOnce(
      [
        say("watcher", { action: "deny", reason: "no" }, { mode: "monitor" }),
        say("asker", { action: "ask", reason: "?" }),
      ],
      preTool,
    );
    expect(decision).toMatchObject({ verdict: "ask", decided_by: "asker" });
    expect(outline(decision)).toEqual(["watcher monitored", "asker honoured"]);
  });

  test("the hook's state is not written", async () => {
    const seen: unknown[] = [];
    const hook: FakeHook = {
      name: "counter",
      mode: "monitor",
      state: { scope: "tenant", maxBytes: 100 },
      run: (_event, context) => {
        seen.push(context.state);
        return { action: "set_state", value: 1 };
      },
    };
    const { fakeWarden } = await import("../support/fake-warden.ts");
    const { warden } = await fakeWarden([hook]);
    await warden.dispatch(preTool);
    await warden.dispatch(preTool);
    expect(seen).toEqual([null, null]);
  });
});
