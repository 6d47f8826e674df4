import { expect } from "vitest";
import { conformance, errorOf, type RuleHook } from "../harness.ts";

/** The rules of pig's module of hooks, one test each. The titles name the entry of its documentation. */

const call = (args: unknown, tool_name = "bash") => ({
  event: "tool_call",
  tool_name,
  tool_call_id: "c1",
  arguments_json: JSON.stringify(args),
});
const result = (text: string) => ({
  event: "tool_result",
  tool_name: "bash",
  tool_call_id: "c1",
  result: text,
  is_error: false,
  duration_ms: 12,
});
const inference = { event: "before_inference", model: "m", messages: [{ role: "user", content: "hi" }] };
const notifications = [
  { event: "session_start", history: [{ role: "user", content: "before" }] },
  { event: "session_shutdown", history: [], iterations: 3 },
  { event: "after_inference", model: "m", message: { role: "assistant", content: "hello" }, duration_ms: 40 },
  { event: "error", model: "m", error: { kind: "timeout" } },
  { event: "complete", model: "m", message: { role: "assistant", content: "done" }, total_iterations: 2 },
];

const told = [
  "SessionStart",
  "SessionEnd",
  "PostModelResponse",
  "ModelRequestFailure",
  "TurnComplete",
] as const;

const block = (name: string, reason: string): RuleHook => ({
  name,
  on: "PreToolUse",
  returns: { action: "deny", reason },
});
const append = (name: string, text: string): RuleHook => ({
  name,
  on: "PostToolUse",
  does: `(event) => ({ action: "replace_result", result: event.tool_response + ${JSON.stringify(text)} })`,
});
const silent = (name: string, on: RuleHook["on"]): RuleHook => ({ name, on });

conformance("pig", ({ rule }) => {
  rule("Hooks: handlers that were not set let everything pass", [], async ({ say }) => {
    expect(await say(call({}))).toEqual({ decision: "ToolAllowed" });
    expect(await say(result("r"))).toEqual({ decision: "ResultUnchanged", original_event: result("r") });
    expect(await say(inference)).toEqual({ decision: "MessagesUnchanged", original: inference.messages });
    for (const event of notifications) expect(await say(event)).toEqual({ decision: "Notified" });
  });

  rule(
    "ToolCallAction: AllowTool lets the call go on",
    [
      { name: "allows", on: "PreToolUse", returns: { action: "allow" } },
      silent("says-nothing", "PreToolUse"),
    ],
    async (host) => {
      expect(await host.say(call({ command: "ls" }))).toEqual({ decision: "ToolAllowed" });
      expect(host.ran).toEqual(["allows honoured", "says-nothing honoured"]);
    },
  );

  rule(
    "ToolCallAction: BlockTool refuses the call with its reason",
    [block("guard", "not in this house")],
    async ({ say }) => {
      expect(await say(call({ command: "ls" }))).toEqual({
        decision: "ToolBlocked",
        hook_name: "guard",
        reason: "not in this house",
      });
    },
  );

  rule(
    "decide_tool_call: the first block wins, and is known by its name and reason; no later hook runs",
    [silent("quiet", "PreToolUse"), block("first", "one"), block("second", "two")],
    async (host) => {
      expect(await host.say(call({}))).toEqual({
        decision: "ToolBlocked",
        hook_name: "first",
        reason: "one",
      });
      expect(host.ran).toEqual(["quiet honoured", "first honoured"]);
    },
  );

  rule(
    "decide_tool_call: an earlier AllowTool does not outvote a block",
    [{ name: "allows", on: "PreToolUse", returns: { action: "allow" } }, block("blocks", "no")],
    async ({ say }) =>
      expect(await say(call({}))).toMatchObject({ decision: "ToolBlocked", hook_name: "blocks" }),
  );

  rule(
    "ToolCallEvent: a handler sees the tool's name, the call's id and the arguments",
    [
      {
        name: "guard",
        on: "PreToolUse",
        does: `({ tool_name, tool_use_id, tool_input }) => tool_input.command === "rm" ? { action: "deny", reason: tool_name + " " + tool_use_id } : null`,
      },
    ],
    async ({ say }) => {
      expect(await say(call({ command: "rm" }))).toMatchObject({
        decision: "ToolBlocked",
        reason: "bash c1",
      });
      expect(await say(call({ command: "ls" }))).toEqual({ decision: "ToolAllowed" });
    },
  );

  rule(
    "ToolCallEvent: arguments are JSON text; a list stands in `args`, and a text that is no strict JSON is an error",
    [
      {
        name: "guard",
        on: "PreToolUse",
        does: `({ tool_input }) => tool_input.args?.includes("-rf") ? { action: "deny", reason: "forced" } : null`,
      },
    ],
    async ({ say }) => {
      expect(await say(call(["-rf", "/"]))).toMatchObject({ decision: "ToolBlocked", reason: "forced" });
      for (const text of ["{", '{"a":1,"a":2}', '{"__proto__":{}}', "", "{} {}", "{'a':1}"]) {
        const error = await errorOf(say({ ...call({}), arguments_json: text }));
        expect([text, error.code, error.place.pointer]).toEqual([text, "event-not-json", "/arguments_json"]);
      }
      for (const text of ["null", "1", '"rm"']) {
        expect((await errorOf(say({ ...call({}), arguments_json: text }))).code).toBe("event-invalid");
      }
    },
  );

  rule(
    "ToolCallAction: a handler can allow or block and nothing else; one that tries to rewrite the call has failed",
    [{ name: "rewriter", on: "PreToolUse", returns: { action: "modify_input", input: { command: "ls" } } }],
    async (host) => {
      expect(await host.say(call({ command: "rm" }))).toMatchObject({
        decision: "ToolBlocked",
        hook_name: "rewriter",
      });
      expect(host.last.trace[0]?.fault?.code).toBe("illegal-action");
    },
  );

  rule(
    "ToolResultAction: KeepResult leaves the event as it came",
    [silent("keeps", "PostToolUse")],
    async ({ say }) => {
      expect(await say(result("r"))).toEqual({ decision: "ResultUnchanged", original_event: result("r") });
    },
  );

  rule(
    "decide_tool_result: replacements chain, and all who replaced are listed, in order",
    [append("one", "1"), silent("keeps", "PostToolUse"), append("two", "2"), append("three", "3")],
    async ({ say }) => {
      expect(await say(result("r"))).toEqual({
        decision: "ResultTransformed",
        final_event: { ...result("r123") },
        transformers: ["one", "two", "three"],
      });
    },
  );

  rule(
    "ToolResultAction: ReplaceResult sets the content and whether it is an error",
    [
      {
        name: "fails",
        on: "PostToolUse",
        returns: { action: "replace_result", result: "broken", is_error: true },
      },
    ],
    async ({ say }) => {
      expect(await say(result("r"))).toEqual({
        decision: "ResultTransformed",
        final_event: { ...result("broken"), is_error: true },
        transformers: ["fails"],
      });
    },
  );

  rule(
    "ToolResultEvent: a result is a text, and a hook's object becomes its JSON",
    [{ name: "counts", on: "PostToolUse", returns: { action: "replace_result", result: { lines: 2 } } }],
    async ({ say }) => expect((await say(result("r"))).final_event.result).toBe('{"lines":2}'),
  );

  rule(
    "ToolResultAction: a result can be replaced, not blocked; a veto that cannot be said is an error to the host",
    [{ name: "vetoes", on: "PostToolUse", returns: { action: "block", reason: "secret" } }],
    async (host) => {
      const error = await errorOf(host.say(result("r")));
      expect(error.code).toBe("dialect-unsupported");
      expect(error.message).toContain("vetoes");
    },
  );

  rule(
    "decide_messages: replacements chain, and all who replaced are listed, in order",
    ["a", "b"].map((name): RuleHook => ({
      name,
      on: "PreModelRequest",
      does: `({ messages }) => ({ action: "replace_messages", messages: [...messages, { role: "user", content: ${JSON.stringify(name)} }] })`,
    })),
    async ({ say }) => {
      expect(await say(inference)).toEqual({
        decision: "MessagesReplaced",
        final_messages: [
          ...inference.messages,
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
        transformers: ["a", "b"],
      });
    },
  );

  rule(
    "BeforeInferenceAction: KeepMessages hands back the messages as they came",
    [silent("keeps", "PreModelRequest")],
    async ({ say }) =>
      expect(await say(inference)).toEqual({ decision: "MessagesUnchanged", original: inference.messages }),
  );

  rule(
    "notify_*: every handler is notified, and whatever it returns or throws counts for nothing",
    [
      { action: "halt", reason: "stop" },
      { action: "deny", reason: "stop" },
      [
        { action: "block", reason: "stop" },
        { action: "replace_response", message: "x" },
      ],
      { action: "inject", messages: [{ role: "user", content: "x" }] },
      "not an action",
    ]
      .map((returns, index): RuleHook => ({ name: `h${index}`, on: told, returns }))
      .concat({ name: "throws", on: told, does: `() => { throw new Error("no"); }` }),
    async (host) => {
      for (const event of notifications) {
        expect([event.event, await host.say(event)]).toEqual([event.event, { decision: "Notified" }]);
        expect(host.ran.map((line) => line.split(" ")[0])).toEqual(["h0", "h1", "h2", "h3", "h4", "throws"]);
        expect(host.last).toMatchObject({ verdict: "continue", changes: {}, additions: { messages: [] } });
      }
    },
  );

  rule(
    "Hooks: one named set of callbacks can listen to every event",
    [
      {
        name: "all",
        on: ["PreToolUse", "PostToolUse", "PreModelRequest", ...told],
        does: `{
          PreToolUse: () => ({ action: "deny", reason: "r" }),
          PostToolUse: () => ({ action: "replace_result", result: "x" }),
          PreModelRequest: ({ messages }) => ({ action: "replace_messages", messages: messages.slice(1) }),
          SessionStart: () => undefined, SessionEnd: () => undefined, PostModelResponse: () => undefined,
          ModelRequestFailure: () => undefined, TurnComplete: () => undefined,
        }`,
      },
    ],
    async ({ say }) => {
      expect(await say(call({}))).toMatchObject({ decision: "ToolBlocked", hook_name: "all" });
      expect(await say(result("r"))).toMatchObject({ decision: "ResultTransformed", transformers: ["all"] });
      expect(await say(inference)).toEqual({
        decision: "MessagesReplaced",
        final_messages: [],
        transformers: ["all"],
      });
      for (const event of notifications) expect(await say(event)).toEqual({ decision: "Notified" });
    },
  );

  rule("Hooks: there are eight events, and any other name is refused", [], async ({ say, translator }) => {
    expect([...translator.dialect.rows.keys()].sort()).toEqual([
      "after_inference",
      "before_inference",
      "complete",
      "error",
      "session_shutdown",
      "session_start",
      "tool_call",
      "tool_result",
    ]);
    for (const event of ["toolCall", "constructor", "__proto__", "", "PreToolUse"]) {
      expect((await errorOf(say({ ...call({}), event }))).code).toBe("event-unknown");
    }
  });
});
