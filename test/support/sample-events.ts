import type { EventName } from "../../src/catalogue/events.ts";

/** One small event of each name, with every field that must be there, as a host could send it. */
export const sampleEvents: { readonly [N in EventName]: { readonly [field: string]: unknown } } = {
  SessionStart: { source: "startup" },
  SessionEnd: {},
  UserPromptSubmit: { prompt: "list the files" },
  UserPromptAccepted: { prompt: "list the files" },
  PreModelRequest: { model: "m-1", messages: [{ role: "user", content: "hi" }], params: { temperature: 0 } },
  ModelResponseChunk: { stream_id: "st1", index: 0, chunk: "hel" },
  PostModelResponse: { message: "hello", model: "m-1" },
  ModelRequestFailure: { error: "no route" },
  PreToolUse: { tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "ls" } },
  PermissionRequest: { tool_name: "Bash", tool_input: { command: "ls" } },
  PermissionDenied: { tool_name: "Bash", tool_input: { command: "ls" } },
  PostToolUse: { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "a.txt" },
  PostToolUseFailure: { tool_name: "Bash", error: "exit 1" },
  Stop: { stop_hook_active: false, model: "m-1" },
  StopFailure: { error: "rate limit" },
  TurnComplete: { model: "m-1" },
  SubagentStart: { agent_id: "a1", agent_type: "reviewer" },
  SubagentStop: { agent_id: "a1", agent_type: "reviewer" },
  PreCompact: { trigger: "auto" },
  CompactStage: { stage: "summary", trigger: "auto" },
  PostCompact: { trigger: "auto", messages: [] },
  Notification: { message: "waiting", notification_type: "idle" },
};

/** A sample event, with fields of the test's own. */
export function sampleEvent(name: EventName, fields: object = {}): { [field: string]: unknown } {
  return { hook_event_name: name, session_id: "s1", ...sampleEvents[name], ...fields };
}
