import { type Dialect, type DialectRow, observed, type Parsed, type StopVerdict, table } from "./dialect.ts";
import { eventOf, fieldOf, rowOf } from "./message.ts";
import { injected } from "./decision-queries.ts";
import { fromToolInput, toToolInput } from "./tool-arguments.ts";

interface HookEventRow extends DialectRow {
  /** What the event needs that no message of the system says. */
  readonly fixed?: { readonly [field: string]: unknown };
  /** Fields that hooks may write by a change: the event's field, and what it is called in the answer. */
  readonly writes?: { readonly [field: string]: string };
}

const stop = { block: "stop" } as const;
const request = { messages: "messages", system_prompt: "system", model: "model" };

const rows = table<HookEventRow>({
  pre_send_message: {
    event: "UserPromptSubmit",
    fields: { user_input: "prompt", messages: "messages" },
    carries: ["transform", "block", "retry"],
    writes: { prompt: "user_input" },
    stops: stop,
  },
  post_send_message: {
    event: "UserPromptAccepted",
    fields: { user_input: "prompt", messages: "messages" },
    ...observed,
  },
  pre_llm_request: {
    event: "PreModelRequest",
    fields: request,
    carries: ["replace_messages", "replace_system", "inject", "add_context", "block", "retry"],
    writes: { messages: "messages", system: "system_prompt" },
    stops: stop,
  },
  post_llm_response: {
    event: "PostModelResponse",
    fields: { assistant_output: "message", messages: "messages", model: "model" },
    carries: ["replace_response", "block", "retry"],
    writes: { message: "assistant_output" },
    stops: stop,
  },
  pre_tool_execution: {
    event: "PreToolUse",
    fields: { tool_name: "tool_name", tool_arguments: "tool_input" },
    // A denial skips the tool and lets its siblings go on; its reason is lost, as there is no field for it.
    carries: ["modify_input", "skip", "deny"],
    writes: { tool_input: "tool_arguments" },
    stops: { skip: "skip", deny: "skip" },
  },
  post_tool_execution: {
    event: "PostToolUse",
    fields: { tool_name: "tool_name", tool_result: "tool_response" },
    carries: ["replace_result"],
    writes: { tool_response: "tool_result" },
    stops: {},
  },
  post_tool_execution_failure: {
    event: "PostToolUseFailure",
    fields: { tool_name: "tool_name", tool_error: "error" },
    carries: ["replace_error", "add_context"],
    writes: { error: "tool_error" },
    stops: {},
  },
  stop: {
    event: "Stop",
    fields: { user_input: "last_assistant_message", ...request },
    carries: ["retry", "add_context", "block"],
    stops: stop,
  },
  pre_micro_compact: {
    event: "PreCompact",
    fields: { messages: "messages", model: "model" },
    fixed: { trigger: "micro" },
    carries: ["block"],
    stops: stop,
  },
  post_micro_compact: {
    event: "PostCompact",
    fields: { messages: "messages" },
    fixed: { trigger: "micro" },
    carries: ["replace_messages"],
    writes: { messages: "messages" },
    stops: {},
  },
  pre_auto_compact: {
    event: "PreCompact",
    fields: request,
    fixed: { trigger: "auto" },
    carries: ["add_context", "block"],
    stops: stop,
  },
  post_auto_compact: {
    event: "PostCompact",
    fields: { messages: "messages" },
    fixed: { trigger: "auto" },
    carries: ["replace_messages"],
    writes: { messages: "messages" },
    stops: {},
  },
  session_start: { event: "SessionStart", fields: { messages: "messages" }, ...observed },
  session_end: { event: "SessionEnd", fields: { messages: "messages" }, ...observed },
});

/** The only event at which a hook can show the person something. */
const noticed = "post_llm_response";

/** HookEvent (Rust): an answer holds the fields that hooks write, and nothing else. */
export const hookEvent: Dialect<HookEventRow> = {
  name: "hook-event",
  system: "HookEvent (Rust)",
  rows,

  parse(message) {
    const [name, row] = rowOf(rows, message, "event", "hook-event");
    const given = row.event === "PreToolUse" ? fieldOf(message, "tool_arguments") : undefined;
    const tool_input = given === undefined ? undefined : toToolInput(given, "tool_arguments");
    return { name, row, message, event: eventOf(name, row, message, { ...row.fixed, tool_input }) };
  },

  format(decision, { name, row, message }: Parsed<HookEventRow>) {
    const written: { [field: string]: unknown } = {};
    const action = row.stops[decision.verdict as StopVerdict];
    if (action !== undefined) written.action = action;
    for (const [field, wire] of Object.entries(row.writes ?? {})) {
      if (!Object.hasOwn(decision.changes, field)) continue;
      written[wire] =
        field === "tool_input" ? fromToolInput(message.tool_arguments, decision) : decision.changes[field];
    }
    const { messages, context, notices } = decision.additions;
    if (messages.length > 0) written.inject_messages = injected(decision);
    if (context.length > 0) written.additional_context = joined(context);
    if (decision.verdict === "retry") written.retry_feedback = decision.feedback;
    if (notices.length > 0 && name === noticed) written.system_message = joined(notices);
    return written;
  },
};

function joined(texts: readonly { readonly text: string }[]): string {
  return texts.map(({ text }) => text).join("\n");
}
