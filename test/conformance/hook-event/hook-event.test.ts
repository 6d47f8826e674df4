import { expect } from "vitest";
import { conformance, errorOf, type RuleHook } from "../harness.ts";

/** The rules of HookEvent's table and of its words `stop` and `skip`, one test each. */

const messages = [{ role: "user", content: "hi" }];
const wire: { readonly [event: string]: { readonly [field: string]: unknown } } = {
  pre_send_message: { user_input: "hello", messages },
  post_send_message: { user_input: "hello", messages },
  pre_llm_request: { messages, system_prompt: "be good", model: "m" },
  post_llm_response: { assistant_output: "sure", messages, model: "m" },
  pre_tool_execution: { tool_name: "Shell", tool_arguments: { command: "ls" } },
  post_tool_execution: { tool_name: "Shell", tool_result: "a.txt" },
  post_tool_execution_failure: { tool_name: "Shell", tool_error: "exit 1" },
  stop: { user_input: "the answer", messages, system_prompt: "be good", model: "m" },
  pre_micro_compact: { messages, model: "m" },
  post_micro_compact: { messages },
  pre_auto_compact: { messages, system_prompt: "be good", model: "m" },
  post_auto_compact: { messages },
  session_start: { messages },
  session_end: { messages },
};
const ours = {
  pre_send_message: "UserPromptSubmit",
  post_send_message: "UserPromptAccepted",
  pre_llm_request: "PreModelRequest",
  post_llm_response: "PostModelResponse",
  pre_tool_execution: "PreToolUse",
  post_tool_execution: "PostToolUse",
  post_tool_execution_failure: "PostToolUseFailure",
  stop: "Stop",
  pre_micro_compact: "PreCompact",
  post_micro_compact: "PostCompact",
  pre_auto_compact: "PreCompact",
  post_auto_compact: "PostCompact",
  session_start: "SessionStart",
  session_end: "SessionEnd",
} as const;
const names = Object.keys(ours) as (keyof typeof ours)[];
const message = (event: keyof typeof ours, more: object = {}) => ({ event, ...wire[event], ...more });
const says = (name: string, on: RuleHook["on"], returns: unknown): RuleHook => ({ name, on, returns });

/** The fields that may be written, as the table has them, by an action that writes each. */
const writable: { readonly [event in keyof typeof ours]: { readonly [field: string]: unknown } } = {
  pre_send_message: { user_input: "mark", action: "stop", retry_feedback: "mark" },
  post_send_message: {},
  pre_llm_request: {
    messages: [{ role: "user", content: "mark" }],
    system_prompt: "mark",
    inject_messages: [{ role: "user", content: "mark" }],
    additional_context: "mark",
    action: "stop",
    retry_feedback: "mark",
  },
  post_llm_response: {
    assistant_output: "mark",
    action: "stop",
    retry_feedback: "mark",
    system_message: "mark",
  },
  pre_tool_execution: { tool_arguments: { command: "mark" }, action: "skip" },
  post_tool_execution: { tool_result: "mark" },
  post_tool_execution_failure: { tool_error: "mark", additional_context: "mark" },
  stop: { retry_feedback: "mark", additional_context: "mark", action: "stop" },
  pre_micro_compact: { action: "stop" },
  post_micro_compact: { messages: [{ role: "user", content: "mark" }] },
  pre_auto_compact: { additional_context: "mark", action: "stop" },
  post_auto_compact: { messages: [{ role: "user", content: "mark" }] },
  session_start: {},
  session_end: {},
};
const marked = [{ role: "user", content: "mark" }];
const actionsFor: { readonly [field: string]: readonly object[] } = {
  user_input: [{ action: "transform", prompt: "mark" }],
  messages: [{ action: "replace_messages", messages: marked }],
  system_prompt: [{ action: "replace_system", system: "mark" }],
  assistant_output: [{ action: "replace_response", message: "mark" }],
  tool_arguments: [{ action: "modify_input", input: { command: "mark" } }],
  tool_result: [{ action: "replace_result", result: "mark" }],
  tool_error: [{ action: "replace_error", error: "mark" }],
  inject_messages: [{ action: "inject", messages: marked }],
  additional_context: [{ action: "add_context", text: "mark" }],
  retry_feedback: [{ action: "retry", feedback: "mark" }],
  system_message: [{ action: "notify", text: "mark" }],
  action: ["block", "skip"].map((action) => ({ action, reason: "mark" })),
};

conformance("hook-event", ({ rule }) => {
  rule(
    "all(): there are fourteen events, in snake case, and a hook that says nothing writes nothing",
    [],
    async ({ say, translator }) => {
      expect([...translator.dialect.rows.keys()]).toEqual(names);
      for (const event of names) expect([event, await say(message(event))]).toEqual([event, {}]);
    },
  );

  rule("parse(): an unknown name is no event", [], async ({ say }) => {
    for (const event of ["PreToolExecution", "pre_tool_use", "toString", "__proto__", "", "stop "]) {
      const error = await errorOf(say({ ...wire.stop, event }));
      expect([event, error.code]).toEqual([event, "event-unknown"]);
      expect(error.message).toContain("pre_tool_execution");
    }
    expect((await errorOf(say({ ...wire.stop }))).place.pointer).toBe("/event");
  });

  rule(
    "readable fields: a hook sees those of its event and no others",
    [
      {
        name: "sees",
        on: [...new Set(Object.values(ours))],
        reads: ["*", "user_input", "tool_arguments", "secret"],
        does: `(event) => ({ action: "notify", text: Object.keys(event).join() })`,
      },
    ],
    async (host) => {
      const everything = Object.assign({}, ...Object.values(wire), { secret: "x" });
      const readable: { [event: string]: string } = {
        pre_send_message: "messages,prompt",
        post_send_message: "messages,prompt",
        pre_llm_request: "messages,model,system",
        post_llm_response: "message,messages,model",
        pre_tool_execution: "tool_input,tool_name",
        post_tool_execution: "tool_name,tool_response",
        post_tool_execution_failure: "error,tool_name",
        stop: "last_assistant_message,messages,model,system",
        pre_micro_compact: "messages,model,trigger",
        post_micro_compact: "messages,trigger",
        pre_auto_compact: "messages,model,system,trigger",
        post_auto_compact: "messages,trigger",
        session_start: "messages",
        session_end: "messages",
      };
      for (const event of names) {
        await host.say({ ...everything, event });
        const seen = host.last.additions.notices[0]?.text.split(",").sort() ?? [];
        const common = ["hook_event_name", "session_id", "time"];
        expect([event, seen.filter((field) => !common.includes(field)).join()]).toEqual([
          event,
          readable[event],
        ]);
      }
    },
  );

  for (const event of names) {
    for (const [field, value] of Object.entries(writable[event])) {
      const returns = (actionsFor[field] ?? []).find(
        ({ action }: any) => action !== (value === "skip" ? "block" : "skip"),
      );
      rule(
        `writable fields: ${event} can write ${field}`,
        [says("writes", ours[event], returns)],
        async ({ say }) => expect(await say(message(event))).toEqual({ [field]: value }),
      );
    }
  }

  rule(
    "writable fields: whatever hooks try, an answer holds no field that the table does not let its event write",
    Object.entries(actionsFor).flatMap(([field, list]) =>
      list.map((returns, index) =>
        says(`${field.replaceAll("_", "-")}-${index}`, [...new Set(Object.values(ours))], returns),
      ),
    ),
    async ({ translator }) => {
      for (const event of names) {
        const answer = await translator.handle(message(event)).catch((error: { code: string }) => {
          expect([event, error.code]).toEqual([event, "dialect-unsupported"]);
          return {};
        });
        const allowed = Object.keys(writable[event]);
        expect([event, Object.keys(answer as object).filter((field) => !allowed.includes(field))]).toEqual([
          event,
          [],
        ]);
      }
    },
  );

  rule(
    "notifications: what comes back from post_send_message, session_start and session_end is ignored",
    [
      says("halts", ["UserPromptAccepted", "SessionStart", "SessionEnd"], { action: "halt", reason: "no" }),
      says("adds", ["UserPromptAccepted", "SessionStart", "SessionEnd"], {
        action: "inject",
        messages: marked,
      }),
      {
        name: "throws",
        on: ["UserPromptAccepted", "SessionStart", "SessionEnd"],
        does: `() => { throw 1; }`,
      },
    ],
    async (host) => {
      for (const event of ["post_send_message", "session_start", "session_end"] as const) {
        expect(await host.say(message(event))).toEqual({});
        expect(host.ran).toEqual(["halts refused", "adds refused", "throws faulted"]);
      }
    },
  );

  rule(
    "skip: this tool does not run, and its siblings do",
    [
      {
        name: "skips",
        on: "PreToolUse",
        does: `({ tool_input }) => tool_input.command === "rm" ? { action: "skip", reason: "no" } : null`,
      },
    ],
    async ({ say }) => {
      const batch = ["ls", "rm", "cat"].map((command) =>
        message("pre_tool_execution", { tool_arguments: { command } }),
      );
      expect(await Promise.all(batch.map((one) => say(one)))).toEqual([{}, { action: "skip" }, {}]);
    },
  );

  rule(
    "skip: at no other event",
    [
      says(
        "skips",
        [...new Set(Object.values(ours))].filter((name) => name !== "PreToolUse"),
        { action: "skip", reason: "no" },
      ),
    ],
    async ({ translator }) => {
      for (const event of names) {
        if (event === "pre_tool_execution") continue;
        const answer = (await translator.handle(message(event)).catch(() => ({}))) as { action?: string };
        expect([event, answer.action]).not.toEqual([event, "skip"]);
      }
    },
  );

  rule(
    "stop: the step and all that belongs to it is aborted, what hooks had edited is dropped, and no later hook runs",
    [
      says("edits", "PreModelRequest", [
        { action: "replace_system", system: "x" },
        { action: "inject", messages: marked },
      ]),
      says("stops", "PreModelRequest", { action: "block", reason: "no" }),
      says("later", "PreModelRequest", null),
    ],
    async (host) => {
      expect(await host.say(message("pre_llm_request"))).toEqual({ action: "stop" });
      expect(host.ran).toEqual(["edits discarded", "stops honoured"]);
    },
  );

  rule(
    "stop: where the table has none, a stop is an error to the host and not silence",
    [says("stops", ["PostToolUse"], { action: "block", reason: "no" })],
    async ({ say }) =>
      expect((await errorOf(say(message("post_tool_execution")))).code).toBe("dialect-unsupported"),
  );

  rule(
    "edits chain: each hook sees what the earlier ones wrote, and one that says nothing undoes nothing",
    [
      {
        name: "a",
        on: "PreToolUse",
        does: `({ tool_input }) => ({ action: "modify_input", input: { command: tool_input.command + " -l" } })`,
      },
      says("silent", "PreToolUse", null),
      {
        name: "b",
        on: "PreToolUse",
        does: `({ tool_input }) => ({ action: "modify_input", input: { command: tool_input.command + " -a" } })`,
      },
    ],
    async ({ say }) =>
      expect(await say(message("pre_tool_execution"))).toEqual({ tool_arguments: { command: "ls -l -a" } }),
  );

  rule(
    "retry_feedback: the agent goes back with what all hooks want, beside what they wrote",
    [
      says("a", "PostModelResponse", [
        { action: "replace_response", message: "x" },
        { action: "retry", feedback: "one" },
      ]),
      says("b", "PostModelResponse", { action: "retry", feedback: "two" }),
    ],
    async ({ say }) => {
      expect(await say(message("post_llm_response"))).toEqual({
        assistant_output: "x",
        retry_feedback: "one\ntwo",
      });
    },
  );

  rule(
    "inject_messages and additional_context: those of all hooks, in order",
    ["a", "b"].map((name) =>
      says(name, "PreModelRequest", [
        { action: "inject", messages: [{ role: "user", content: name }] },
        { action: "add_context", text: name },
      ]),
    ),
    async ({ say }) => {
      expect(await say(message("pre_llm_request"))).toEqual({
        inject_messages: [
          { role: "user", content: "a" },
          { role: "user", content: "b" },
        ],
        additional_context: "a\nb",
      });
    },
  );

  rule(
    "compaction: micro and auto differ in what they may write",
    [says("adds", "PreCompact", { action: "add_context", text: "mark" })],
    async (host) => {
      expect(await host.say(message("pre_auto_compact"))).toEqual({ additional_context: "mark" });
      // There it has failed, and a hook that guards fails closed.
      expect(await host.say(message("pre_micro_compact"))).toEqual({ action: "stop" });
      expect(host.last.trace[0]?.fault?.code).toBe("illegal-action");
    },
  );

  rule(
    "arguments: a list comes and goes as one",
    [
      {
        name: "a",
        on: "PreToolUse",
        does: `({ tool_input: { args } }) => ({ action: "modify_input", input: { args: [...args, 3] } })`,
      },
    ],
    async ({ say }) => {
      expect(await say(message("pre_tool_execution", { tool_arguments: [1, 2] }))).toEqual({
        tool_arguments: [1, 2, 3],
      });
      const error = await errorOf(say(message("pre_tool_execution", { tool_arguments: "ls" })));
      expect([error.code, error.place.pointer]).toEqual(["event-invalid", "/tool_arguments"]);
    },
  );
});
