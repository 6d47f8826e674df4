type Json = { readonly [name: string]: unknown };

/** What the hooks of the trial have in common: a manifest, and an event that a line of a case is put into. */
export interface Preset {
  readonly manifest: Json;
  readonly event: Json;
  /** Path of the field that a case's plain text goes to. */
  readonly field: readonly string[];
}

const state = { state: { scope: "session", maxBytes: 4_000 } } as const;
const shellEvent = {
  hook_event_name: "PreToolUse",
  cwd: "/workspace",
  tool_name: "Bash",
  tool_input: { command: "ls" },
};
const command = ["tool_input", "command"];
const onShell = { on: [{ event: "PreToolUse", matcher: "Bash" }], reads: ["tool_input"] };
const onTools = { on: [{ event: "PreToolUse" }], reads: ["tool_name", "tool_input"] };
const onWrites = { on: [{ event: "PreToolUse", matcher: "Write|Edit" }], reads: ["tool_name", "tool_input"] };
const writeEvent = {
  ...shellEvent,
  tool_name: "Write",
  tool_input: { file_path: "src/a.ts", content: "const a = 1;\n" },
};
const file = ["tool_input", "file_path"];
const onResults = { on: [{ event: "PostToolUse" }], reads: ["tool_name", "tool_response"] };
const resultEvent = {
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_response: "ok",
};
const onPrompts = { on: [{ event: "UserPromptSubmit" }], reads: ["prompt"] };
const promptEvent = { hook_event_name: "UserPromptSubmit", prompt: "hello" };
const onStop = { on: [{ event: "Stop" }], reads: ["last_assistant_message", "stop_hook_active"] };

export const presets: { readonly [name: string]: Preset } = {
  shell: { manifest: { ...onShell, actions: ["deny", "ask"] }, event: shellEvent, field: command },
  ask: { manifest: { ...onShell, actions: ["ask"] }, event: shellEvent, field: command },
  allow: { manifest: { ...onShell, actions: ["allow", "deny"] }, event: shellEvent, field: command },
  rewrite: { manifest: { ...onShell, actions: ["modify_input"] }, event: shellEvent, field: command },
  "shell-state": {
    manifest: { ...onShell, actions: ["deny", "set_state"], ...state },
    event: shellEvent,
    field: command,
  },
  tool: { manifest: { ...onTools, actions: ["deny"] }, event: shellEvent, field: command },
  nudge: {
    manifest: { ...onTools, actions: ["deny", "set_state"], ...state },
    event: shellEvent,
    field: command,
  },
  permission: {
    manifest: {
      on: [{ event: "PermissionRequest" }],
      reads: ["tool_name", "tool_input"],
      actions: ["allow", "ask"],
    },
    event: { ...shellEvent, hook_event_name: "PermissionRequest" },
    field: command,
  },
  write: { manifest: { ...onWrites, actions: ["deny", "ask"] }, event: writeEvent, field: file },
  "write-state": {
    manifest: { ...onWrites, actions: ["ask", "set_state"], ...state },
    event: writeEvent,
    field: file,
  },
  result: { manifest: { ...onResults, actions: ["augment"] }, event: resultEvent, field: ["tool_response"] },
  "result-tool": {
    manifest: { ...onResults, reads: ["tool_input", "tool_response"], actions: ["augment"] },
    event: resultEvent,
    field: ["tool_response"],
  },
  prompt: { manifest: { ...onPrompts, actions: ["add_context"] }, event: promptEvent, field: ["prompt"] },
  "prompt-state": {
    manifest: { ...onPrompts, actions: ["add_context", "set_state"], ...state },
    event: promptEvent,
    field: ["prompt"],
  },
  notice: { manifest: { ...onPrompts, actions: ["notify"] }, event: promptEvent, field: ["prompt"] },
  model: {
    manifest: {
      on: [{ event: "PreModelRequest" }],
      reads: ["model", "system", "params"],
      actions: ["replace_system"],
    },
    event: { hook_event_name: "PreModelRequest", model: "m", messages: [{ role: "user", content: "hi" }] },
    field: ["model"],
  },
  answer: {
    manifest: { on: [{ event: "PostModelResponse" }], reads: ["message"], actions: ["block"] },
    event: { hook_event_name: "PostModelResponse", message: "hello" },
    field: ["message"],
  },
  stop: {
    manifest: { ...onStop, actions: ["retry"] },
    event: { hook_event_name: "Stop", last_assistant_message: "Done." },
    field: ["last_assistant_message"],
  },
  "notify-stop": {
    manifest: { on: [{ event: "SessionEnd" }], reads: ["total_iterations"], actions: ["notify"] },
    event: { hook_event_name: "SessionEnd", reason: "other", total_iterations: 3 },
    field: ["reason"],
  },
  subagent: {
    manifest: { on: [{ event: "SubagentStart" }], reads: ["agent_type"], actions: ["halt"] },
    event: { hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "general" },
    field: ["agent_type"],
  },
};

/** Cases that a hook of the trial has where it lists none: one that it stops and one that it does not. */
export const usual: { readonly [preset: string]: readonly string[] } = {
  shell: ["rm -rf /", "ls -la"],
  "shell-state": ["rm -rf /", "ls -la"],
  allow: ["rm -rf /", "git status", "make"],
  rewrite: ["ls -la"],
  permission: ["ls -la"],
  result: ["ok"],
  prompt: ["hello"],
  "prompt-state": ["hello"],
  notice: ["hello"],
  model: ["m"],
  tool: ["rm -rf /", "ls -la"],
};
