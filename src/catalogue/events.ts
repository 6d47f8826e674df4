import type { EventActionName } from "./actions.ts";
import { eventFields as f, optional } from "./fields.ts";
import type { Field } from "./schema.ts";

/** The part of an agent's life that an event belongs to. */
export type Phase =
  | "session"
  | "prompt"
  | "pre-model"
  | "post-model"
  | "pre-tool"
  | "post-tool"
  | "stop"
  | "subagent"
  | "compaction"
  | "notice"
  | "observe";

/** One row of the table of events. */
export interface EventRow {
  readonly phase: Phase;
  readonly when: string;
  readonly fields: { readonly [field: string]: Field };
  /** Legal here, beside the actions that are legal everywhere. */
  readonly actions: readonly EventActionName[];
  /** What a fault of a fail-closed hook becomes. Absent: nothing can be closed here. */
  readonly closedAs?: "halt" | "block" | "deny" | "drop_chunk";
  /** The field that a matcher is held against. Absent: a matcher is a load error. */
  readonly matches?: string;
}

/** The 22 events. Adding one is a row here and `npm run generate`. */
export const events = {
  SessionStart: {
    phase: "session",
    when: "a session begins or is resumed",
    fields: { source: optional(f.source), model: optional(f.model), messages: optional(f.messages) },
    actions: ["inject", "add_context", "halt"],
    closedAs: "halt",
    matches: "source",
  },
  SessionEnd: {
    phase: "observe",
    when: "a session has ended",
    fields: {
      reason: optional(f.reason),
      messages: optional(f.messages),
      total_iterations: optional(f.total_iterations),
    },
    actions: [],
  },
  UserPromptSubmit: {
    phase: "prompt",
    when: "a person has sent a prompt, and the model has not seen it",
    fields: { prompt: f.prompt, messages: optional(f.messages) },
    actions: ["block", "halt", "retry", "transform", "inject", "add_context"],
    closedAs: "block",
  },
  UserPromptAccepted: {
    phase: "observe",
    when: "a prompt has passed, as it goes to the model",
    fields: { prompt: f.prompt, messages: optional(f.messages) },
    actions: [],
  },
  PreModelRequest: {
    phase: "pre-model",
    when: "a request to the model is about to be made",
    fields: { model: f.model, messages: f.messages, system: optional(f.system), params: optional(f.params) },
    actions: [
      "block",
      "halt",
      "retry",
      "replace_messages",
      "replace_system",
      "set_params",
      "inject",
      "add_context",
    ],
    closedAs: "block",
    matches: "model",
  },
  ModelResponseChunk: {
    phase: "post-model",
    when: "a piece of a streamed response has arrived, and has not been shown yet",
    fields: {
      stream_id: f.stream_id,
      index: f.index,
      chunk: f.chunk,
      final: optional(f.final),
      model: optional(f.model),
    },
    actions: ["replace_chunk", "drop_chunk"],
    closedAs: "drop_chunk",
    matches: "model",
  },
  PostModelResponse: {
    phase: "post-model",
    when: "the model has answered, and the answer has not been shown yet",
    fields: {
      message: f.message,
      model: optional(f.model),
      messages: optional(f.messages),
      usage: optional(f.usage),
      duration_ms: optional(f.duration_ms),
    },
    actions: ["block", "halt", "retry", "replace_response"],
    closedAs: "block",
    matches: "model",
  },
  ModelRequestFailure: {
    phase: "observe",
    when: "a request to the model has failed",
    fields: { error: f.error, model: optional(f.model) },
    actions: [],
    matches: "model",
  },
  PreToolUse: {
    phase: "pre-tool",
    when: "a tool is about to run",
    fields: { tool_name: f.tool_name, tool_input: f.tool_input, tool_use_id: optional(f.tool_use_id) },
    actions: ["allow", "ask", "deny", "skip", "halt", "modify_input", "add_context"],
    closedAs: "deny",
    matches: "tool_name",
  },
  PermissionRequest: {
    phase: "pre-tool",
    when: "a person is about to be asked whether a tool may run",
    fields: {
      tool_name: f.tool_name,
      tool_input: f.tool_input,
      tool_use_id: optional(f.tool_use_id),
      permission_suggestions: optional(f.permission_suggestions),
    },
    actions: ["allow", "ask", "deny", "halt"],
    closedAs: "deny",
    matches: "tool_name",
  },
  PermissionDenied: {
    phase: "notice",
    when: "a tool call has been refused",
    fields: {
      tool_name: f.tool_name,
      tool_input: f.tool_input,
      tool_use_id: optional(f.tool_use_id),
      reason: optional(f.reason),
    },
    actions: ["halt"],
    matches: "tool_name",
  },
  PostToolUse: {
    phase: "post-tool",
    when: "a tool has run, and the model has not seen its result",
    fields: {
      tool_name: f.tool_name,
      tool_response: f.tool_response,
      tool_input: optional(f.tool_input),
      original_tool_input: optional(f.original_tool_input),
      tool_use_id: optional(f.tool_use_id),
      is_error: optional(f.is_error),
      duration_ms: optional(f.duration_ms),
    },
    actions: ["augment", "replace_result", "block", "halt", "inject"],
    closedAs: "block",
    matches: "tool_name",
  },
  PostToolUseFailure: {
    phase: "post-tool",
    when: "a tool could not run to its end",
    fields: {
      tool_name: f.tool_name,
      error: f.error,
      tool_input: optional(f.tool_input),
      tool_use_id: optional(f.tool_use_id),
      is_interrupt: optional(f.is_interrupt),
      duration_ms: optional(f.duration_ms),
    },
    actions: ["augment", "replace_error", "add_context", "halt"],
    matches: "tool_name",
  },
  Stop: {
    phase: "stop",
    when: "the agent is about to end its turn",
    fields: {
      stop_hook_active: optional(f.stop_hook_active),
      last_assistant_message: optional(f.last_assistant_message),
      messages: optional(f.messages),
      model: optional(f.model),
      system: optional(f.system),
    },
    actions: ["retry", "block", "halt", "inject", "add_context"],
    matches: "model",
  },
  StopFailure: {
    phase: "observe",
    when: "a turn has ended in an error",
    fields: { error: f.error },
    actions: [],
  },
  TurnComplete: {
    phase: "observe",
    when: "a turn has ended",
    fields: {
      message: optional(f.message),
      model: optional(f.model),
      total_iterations: optional(f.total_iterations),
    },
    actions: [],
    matches: "model",
  },
  SubagentStart: {
    phase: "subagent",
    when: "a subagent is about to start",
    fields: { agent_id: f.agent_id, agent_type: f.agent_type },
    actions: ["inject", "add_context", "halt"],
    closedAs: "halt",
    matches: "agent_type",
  },
  SubagentStop: {
    phase: "subagent",
    when: "a subagent is about to end",
    fields: {
      agent_id: f.agent_id,
      agent_type: f.agent_type,
      stop_hook_active: optional(f.stop_hook_active),
      last_assistant_message: optional(f.last_assistant_message),
    },
    actions: ["retry", "inject", "halt"],
    matches: "agent_type",
  },
  PreCompact: {
    phase: "compaction",
    when: "the conversation is about to be compacted",
    fields: {
      trigger: f.compaction_trigger,
      messages: optional(f.messages),
      model: optional(f.model),
      system: optional(f.system),
      custom_instructions: optional(f.custom_instructions),
    },
    actions: ["block", "halt", "inject", "add_context"],
    closedAs: "block",
    matches: "trigger",
  },
  CompactStage: {
    phase: "compaction",
    when: "one stage of a compaction has ended",
    fields: { stage: f.stage, trigger: optional(f.trigger) },
    actions: ["halt"],
    matches: "trigger",
  },
  PostCompact: {
    phase: "compaction",
    when: "the conversation has been compacted",
    fields: { trigger: f.trigger, messages: optional(f.messages), summary: optional(f.summary) },
    actions: ["replace_messages", "halt"],
    matches: "trigger",
  },
  Notification: {
    phase: "notice",
    when: "the agent notifies the person",
    fields: { message: f.notification, notification_type: optional(f.notification_type) },
    actions: ["halt"],
    matches: "notification_type",
  },
} as const satisfies Record<string, EventRow>;

/** Name of an event, as in `hook_event_name`. */
export type EventName = keyof typeof events;
