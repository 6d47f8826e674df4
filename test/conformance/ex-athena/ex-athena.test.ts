import { expect } from "vitest";
import { conformance, errorOf, type RuleHook } from "../harness.ts";

/** The rules of ExAthena's lifecycle hooks, one test each. The titles name the place in its documentation. */

const pre = {
  event: "PreToolUse",
  input: { tool_name: "Write", tool_input: { path: "a" } },
  tool_use_id: "t1",
};
const post = {
  event: "PostToolUse",
  input: { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "out" },
  tool_use_id: "t1",
};
const prompt = { event: "UserPromptSubmit", input: { prompt: "hello" } };
const nothing = { halt: null, injects: [], transform: null };

/** One message of each event of the catalogue. */
const every: { readonly [event: string]: object } = {
  SessionStart: {},
  SessionEnd: { reason: "exit" },
  UserPromptSubmit: { prompt: "hello" },
  ChatParams: { model: "m", messages: [], params: { temperature: 0 } },
  Stop: {},
  StopFailure: { error: "timeout" },
  PreToolUse: pre.input,
  PostToolUse: post.input,
  PostToolUseFailure: { tool_name: "Bash", error: "exit 1" },
  PermissionRequest: pre.input,
  PermissionDenied: { ...pre.input, reason: "no" },
  SubagentStart: { agent_id: "s", agent_type: "reviewer" },
  SubagentStop: { agent_id: "s", agent_type: "reviewer" },
  PreCompact: { trigger: "manual" },
  PreCompactStage: { stage: "summarise" },
  PostCompact: { trigger: "manual" },
  Notification: { message: "waiting" },
};
const perTool = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied"];
const everywhere = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreModelRequest",
  "Stop",
  "StopFailure",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "CompactStage",
  "PostCompact",
  "Notification",
] as const;

const says = (name: string, on: RuleHook["on"], returns: unknown, matcher?: string): RuleHook => ({
  name,
  on,
  returns,
  ...(matcher === undefined ? {} : { matcher }),
});
const inject = (text: string) => ({ action: "inject", messages: [{ role: "user", content: text }] });

conformance("ex-athena", ({ rule }) => {
  rule(
    "events/0: there are seventeen events, and each has an answer of its kind",
    [],
    async ({ say, translator }) => {
      expect([...translator.dialect.rows.keys()].sort()).toEqual(Object.keys(every).sort());
      for (const [event, input] of Object.entries(every)) {
        expect([event, await say({ event, input })]).toEqual([
          event,
          perTool.includes(event) ? "ok" : nothing,
        ]);
      }
      for (const event of ["preToolUse", "toString", "PreModelRequest", ""]) {
        expect((await errorOf(say({ ...pre, event }))).code).toBe("event-unknown");
      }
    },
  );

  rule(
    "Return values: `:ok` goes on without side effects",
    [{ name: "ok", on: everywhere }],
    async ({ say }) => {
      for (const [event, input] of Object.entries(every)) {
        expect(await say({ event, input })).toEqual(perTool.includes(event) ? "ok" : nothing);
      }
    },
  );

  rule(
    "Return values: deny refuses the tool call, from PreToolUse and from PermissionRequest",
    [says("guard", ["PreToolUse", "PermissionRequest"], { action: "deny", reason: "protected" })],
    async ({ say }) => {
      expect(await say(pre)).toEqual({ deny: "protected" });
      expect(await say({ ...pre, event: "PermissionRequest" })).toEqual({ deny: "protected" });
    },
  );

  rule(
    "Return values: deny means nothing from any other event",
    [says("guard", everywhere, { action: "deny", reason: "no" })],
    async (host) => {
      for (const [event, input] of Object.entries(every)) {
        if (event === "PreToolUse" || event === "PermissionRequest") continue;
        expect([event, await host.say({ event, input })]).toEqual([
          event,
          perTool.includes(event) ? "ok" : nothing,
        ]);
        expect(host.last.trace[0]).toMatchObject({
          fault: null,
          refused: [{ action: "deny", code: "illegal-action" }],
        });
      }
    },
  );

  rule(
    "Return values: augment means nothing from any event but PostToolUse",
    [says("adds", everywhere, { action: "augment", text: "x" })],
    async ({ say }) => {
      for (const [event, input] of Object.entries(every)) {
        const usual = perTool.includes(event) ? "ok" : nothing;
        expect([event, await say({ event, input })]).toEqual([
          event,
          event === "PostToolUse" ? { augment: "x" } : usual,
        ]);
      }
    },
  );

  rule(
    "Return values: transform means nothing from any event but UserPromptSubmit",
    [says("rewrites", everywhere, { action: "transform", prompt: "x" })],
    async ({ say }) => {
      for (const [event, input] of Object.entries(every)) {
        const usual = perTool.includes(event) ? "ok" : nothing;
        expect(await say({ event, input })).toEqual(
          event === "UserPromptSubmit" ? { ...nothing, transform: "x" } : usual,
        );
      }
    },
  );

  rule(
    "Return values: what means nothing takes nothing else of the answer with it",
    [
      says("mixed", "PostToolUse", [
        { action: "transform", prompt: "x" },
        { action: "augment", text: "y" },
      ]),
    ],
    async ({ say }) => expect(await say(post)).toEqual({ augment: "y" }),
  );

  rule(
    "Return values: a word that the system does not have is no return at all, and opens no gate",
    [says("asks", "PreToolUse", { action: "ask", reason: "sure?" })],
    async (host) => {
      expect(await host.say(pre)).toHaveProperty("deny");
      expect(host.last.trace[0]?.fault?.code).toBe("illegal-action");
    },
  );

  rule(
    "Return values: halt stops the loop at once, and no later hook runs",
    [says("halts", everywhere, { action: "halt", reason: "enough" }), says("later", everywhere, null)],
    async (host) => {
      for (const [event, input] of Object.entries(every)) {
        // There, nothing is left to stop.
        if (event === "SessionEnd" || event === "StopFailure") continue;
        const halted = perTool.includes(event) ? { halt: "enough" } : { ...nothing, halt: "enough" };
        expect([event, await host.say({ event, input })]).toEqual([event, halted]);
        expect(host.ran).toEqual(["halts honoured"]);
      }
    },
  );

  rule(
    "Return values: inject appends one message or a list of them to the conversation",
    [
      says("one", ["SessionStart", "UserPromptSubmit", "PreModelRequest", "Stop"], inject("a")),
      says("list", ["SessionStart", "UserPromptSubmit", "PreModelRequest", "Stop"], {
        action: "inject",
        messages: [
          { role: "system", content: "b" },
          { role: "user", content: "c" },
        ],
      }),
    ],
    async ({ say }) => {
      for (const event of ["SessionStart", "UserPromptSubmit", "ChatParams", "Stop"]) {
        expect(await say({ event, input: every[event] })).toEqual({
          ...nothing,
          injects: [
            { role: "user", content: "a" },
            { role: "system", content: "b" },
            { role: "user", content: "c" },
          ],
        });
      }
    },
  );

  rule(
    "Return values: transform rewrites the prompt before it enters the loop, and later hooks see it",
    [
      says("first", "UserPromptSubmit", { action: "transform", prompt: "one" }),
      {
        name: "second",
        on: "UserPromptSubmit",
        does: `({ prompt }) => ({ action: "transform", prompt: prompt + " two" })`,
      },
      says("says-nothing", "UserPromptSubmit", null),
    ],
    async ({ say }) => expect(await say(prompt)).toEqual({ ...nothing, transform: "one two" }),
  );

  rule(
    "run_lifecycle_with_outputs/3: transform is last write wins, and injects pile up in order",
    [
      says("a", "UserPromptSubmit", [{ action: "transform", prompt: "first" }, inject("1")]),
      says("b", "UserPromptSubmit", [inject("2"), { action: "transform", prompt: "last" }]),
    ],
    async (host) => {
      expect(await host.say(prompt)).toEqual({
        halt: null,
        injects: [
          { role: "user", content: "1" },
          { role: "user", content: "2" },
        ],
        transform: "last",
      });
      expect(host.last.trace[0]?.overwritten).toEqual(["prompt"]);
    },
  );

  rule(
    "run_lifecycle_with_outputs/3: a halt always wins",
    [
      says("a", "UserPromptSubmit", [{ action: "transform", prompt: "x" }, inject("1")]),
      says("b", "UserPromptSubmit", { action: "halt", reason: "stop" }),
      says("c", "UserPromptSubmit", inject("2")),
    ],
    async ({ say }) => expect(await say(prompt)).toEqual({ halt: "stop", injects: [], transform: null }),
  );

  rule(
    "run_lifecycle/3: Stop and SessionStart answer nothing, or a halt",
    [
      {
        name: "stops",
        on: ["Stop", "SessionStart"],
        does: `({ model }) => model === "m" ? { action: "halt", reason: "r" } : null`,
      },
    ],
    async ({ say }) => {
      for (const event of ["Stop", "SessionStart"]) {
        expect(await say({ event, input: {} })).toEqual(nothing);
        expect(await say({ event, input: { model: "m" } })).toEqual({ ...nothing, halt: "r" });
      }
    },
  );

  rule(
    "run_post_tool_use/4: several augments are joined with a line break, in order",
    [
      says("a", "PostToolUse", { action: "augment", text: "one" }),
      says("b", "PostToolUse", null),
      says("c", "PostToolUse", { action: "augment", text: "two" }),
    ],
    async ({ say }) => expect(await say(post)).toEqual({ augment: "one\ntwo" }),
  );

  rule(
    "run_post_tool_use/4: a halt beats the augments before it",
    [
      says("a", "PostToolUse", { action: "augment", text: "one" }),
      says("b", "PostToolUse", { action: "halt", reason: "stop" }),
    ],
    async ({ say }) => expect(await say(post)).toEqual({ halt: "stop" }),
  );

  rule(
    "run_pre_tool_use/4: the first denial or halt is the answer",
    [
      says("ok", "PreToolUse", null),
      says("denies", "PreToolUse", { action: "deny", reason: "first" }),
      says("halts", "PreToolUse", { action: "halt", reason: "second" }),
    ],
    async ({ say }) => expect(await say(pre)).toEqual({ deny: "first" }),
  );

  rule(
    "Hook callback: it receives the input and the id of the tool use",
    [
      {
        name: "sees",
        on: "PreToolUse",
        does: `({ tool_name, tool_input, tool_use_id }) => ({ action: "deny", reason: [tool_name, tool_input.path, tool_use_id].join() })`,
      },
    ],
    async ({ say }) => expect(await say(pre)).toEqual({ deny: "Write,a,t1" }),
  );

  rule(
    "Hook callback: an argument that is called like a field of the event stays an argument",
    [says("guard", "PreToolUse", { action: "deny", reason: "no" }, "Write")],
    async ({ say }) => {
      const input = {
        tool_name: "Write",
        tool_input: { tool_name: "Read", hook_event_name: "Stop", session_id: "x" },
      };
      expect(await say({ event: "PreToolUse", input })).toEqual({ deny: "no" });
      const named = { ...input, hook_event_name: "Notification", event: "Stop" };
      expect(await say({ event: "PreToolUse", input: named })).toEqual({ deny: "no" });
    },
  );

  rule(
    "Matching: a matcher is held against the tool's name, and without one a hook fires for every tool",
    [
      says("edits", "PostToolUse", { action: "augment", text: "edits" }, "Write|Edit"),
      says("regex", "PostToolUse", { action: "augment", text: "regex" }, "(Ba|Z)sh"),
      says("all", "PostToolUse", { action: "augment", text: "all" }),
    ],
    async ({ say }) => {
      const of = async (tool_name: string) => say({ ...post, input: { ...post.input, tool_name } });
      expect(await of("Edit")).toEqual({ augment: "edits\nall" });
      expect(await of("Bash")).toEqual({ augment: "regex\nall" });
      expect(await of("Read")).toEqual({ augment: "all" });
    },
  );

  rule(
    "Matching: lifecycle events have no matcher, and every hook of theirs fires",
    [says("a", "Notification", { action: "halt", reason: "r" })],
    async ({ say }) =>
      expect(await say({ event: "Notification", input: every.Notification })).toEqual({
        ...nothing,
        halt: "r",
      }),
  );
});
