import * as fc from "fast-check";

/** One good message of each event of each system. */
export const goodMessages: { readonly [dialect: string]: readonly { readonly [field: string]: unknown }[] } =
  {
    pig: [
      { event: "session_start", history: [] },
      { event: "session_shutdown", history: [], iterations: 1 },
      { event: "before_inference", model: "m", messages: [{ role: "user", content: "hi" }] },
      { event: "after_inference", model: "m", message: { content: "x" }, duration_ms: 1 },
      { event: "tool_call", tool_name: "bash", tool_call_id: "c", arguments_json: '{"a":1}' },
      { event: "tool_call", tool_name: "bash", tool_call_id: "c", arguments_json: "[1]" },
      {
        event: "tool_result",
        tool_name: "bash",
        tool_call_id: "c",
        result: "r",
        is_error: false,
        duration_ms: 1,
      },
      { event: "error", model: "m", error: "e" },
      { event: "complete", model: "m", message: { content: "x" }, total_iterations: 2 },
    ],
    agentix: [
      {
        phase: "pre",
        turn: { model: "m", messages: [], custom: 1, injections: [{ type: "text", text: "old" }] },
      },
      { phase: "post", turn: { model: "m", messages: [], assistant_message: { content: "x" } } },
      { phase: "chunk", chunk: "hel" },
    ],
    eai: [
      { run: "pre", tool: "Mod.fun", payload: { a: 1 } },
      { run: "pre", tool: "Mod.fun", payload: [1] },
      { run: "post", tool: "Mod.fun", payload: { a: 1 }, result: "r" },
      { run: "llm_pre", payload: { messages: [] } },
      { run: "llm_post", payload: {}, result: ["ok", "x", []] },
      { run: "terminal", tool: "Mod", payload: {}, reason: "shutdown" },
    ],
    "ex-athena": [
      "SessionStart",
      "SessionEnd",
      "ChatParams",
      "Stop",
      "StopFailure",
      "SubagentStart",
      "SubagentStop",
      "PreCompact",
      "PreCompactStage",
      "PostCompact",
      "Notification",
    ]
      .map((event): { [field: string]: unknown } => ({ event, input: {} }))
      .concat(
        { event: "UserPromptSubmit", input: { prompt: "p" } },
        ...["PreToolUse", "PermissionRequest", "PermissionDenied"].map((event) => ({
          event,
          input: { tool_name: "t", tool_input: { a: 1 } },
          tool_use_id: "u",
        })),
        { event: "PostToolUse", input: { tool_name: "t", tool_response: "r" } },
        { event: "PostToolUseFailure", input: { tool_name: "t", error: "e" } },
      ),
    "hook-event": [
      { event: "pre_send_message", user_input: "u", messages: [] },
      { event: "post_send_message", user_input: "u", messages: [] },
      { event: "pre_llm_request", messages: [], system_prompt: "s", model: "m" },
      { event: "post_llm_response", assistant_output: "a", messages: [], model: "m" },
      { event: "pre_tool_execution", tool_name: "t", tool_arguments: { a: 1 } },
      { event: "pre_tool_execution", tool_name: "t", tool_arguments: [1] },
      { event: "post_tool_execution", tool_name: "t", tool_result: "r" },
      { event: "post_tool_execution_failure", tool_name: "t", tool_error: "e" },
      { event: "stop", user_input: "u", messages: [], system_prompt: "s", model: "m" },
      ...["pre_micro_compact", "post_micro_compact", "pre_auto_compact", "post_auto_compact"].map(
        (event) => ({ event, messages: [] }),
      ),
      ...["session_start", "session_end"].map((event) => ({ event, messages: [] })),
    ],
    "claude-code": [
      { hook_event_name: "SessionStart", source: "startup" },
      { hook_event_name: "SessionEnd", reason: "exit" },
      { hook_event_name: "UserPromptSubmit", prompt: "p" },
      { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "u" },
      {
        hook_event_name: "PermissionRequest",
        tool_name: "Bash",
        tool_input: {},
        permission_suggestions: null,
      },
      { hook_event_name: "PermissionDenied", tool_name: "Bash", tool_input: {}, reason: "r" },
      {
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_input: {},
        tool_response: { stdout: "r", n: 1 },
      },
      { hook_event_name: "PostToolUseFailure", tool_name: "Bash", tool_input: {}, error: "e" },
      { hook_event_name: "Stop", stop_hook_active: false },
      { hook_event_name: "StopFailure", error: "e" },
      { hook_event_name: "SubagentStart", agent_id: "a", agent_type: "t" },
      { hook_event_name: "SubagentStop", agent_id: "a", agent_type: "t", stop_hook_active: false },
      { hook_event_name: "PreCompact", trigger: "auto", custom_instructions: null },
      { hook_event_name: "PostCompact", trigger: "auto", compact_summary: "s" },
      { hook_event_name: "Notification", message: "m", notification_type: "t" },
      { hook_event_name: "TeammateIdle" },
    ],
  };

const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "\u0000",
    "\ud800",
    "",
    "{",
    "[",
    "null",
    -0,
    1e308,
    2 ** 53,
  ),
);

/** A message of a system: good, with a field lost, added or made strange, or no message of it at all. */
export function messageOf(dialect: string): fc.Arbitrary<unknown> {
  const good = fc.constantFrom(...(goodMessages[dialect] ?? []));
  const field = fc.oneof(
    fc.constantFrom("event", "input", "turn", "payload", "tool_name", "session_id", "result"),
    fc.string(),
  );
  const changed = fc
    .tuple(good, fc.array(fc.tuple(field, strange, fc.boolean()), { maxLength: 3 }), fc.nat())
    .map(([message, changes, at]) => {
      const copy: { [field: string]: unknown } = structuredClone(message);
      for (const [name, value, own] of changes) {
        const names = Object.keys(copy);
        const target = own ? (names[at % Math.max(1, names.length)] ?? name) : name;
        if (value === null) delete copy[target];
        else
          Object.defineProperty(copy, target, {
            value,
            enumerable: true,
            configurable: true,
            writable: true,
          });
      }
      return copy;
    });
  return fc.oneof(
    { weight: 4, arbitrary: changed },
    { weight: 3, arbitrary: good },
    { weight: 1, arbitrary: strange },
  );
}

/** A message as it comes over a wire: an object, or a text that may be cut or hold what is no JSON. */
export function wireOf(dialect: string): fc.Arbitrary<unknown> {
  const text = messageOf(dialect).map((message) => JSON.stringify(message) ?? "");
  return fc.oneof(
    { weight: 3, arbitrary: messageOf(dialect) },
    { weight: 3, arbitrary: text },
    { weight: 1, arbitrary: fc.tuple(text, fc.nat(200)).map(([whole, length]) => whole.slice(0, length)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  );
}
