import type { Decision } from "../broker/index.ts";
import { type Dialect, type DialectRow, observed, type Parsed, type Message, table } from "./dialect.ts";
import { eventOf, fieldOf, readInnerText, rowOf } from "./message.ts";
import { reasonOf, writersOf } from "./decision-queries.ts";
import { toToolInput } from "./tool-arguments.ts";

interface PigRow extends DialectRow {
  /** What the system's own composition answers. */
  readonly answers: "notified" | "tool" | "result" | "messages";
}

const notification = { ...observed, answers: "notified" } as const;
const call = { tool_name: "tool_name", tool_call_id: "tool_use_id" };

const rows = table<PigRow>({
  session_start: { event: "SessionStart", ...notification, fields: { history: "messages" } },
  session_shutdown: {
    event: "SessionEnd",
    ...notification,
    fields: { history: "messages", iterations: "total_iterations" },
  },
  before_inference: {
    event: "PreModelRequest",
    carries: ["replace_messages"],
    stops: {},
    answers: "messages",
    fields: { model: "model", messages: "messages" },
  },
  after_inference: {
    event: "PostModelResponse",
    ...notification,
    fields: { model: "model", message: "message", duration_ms: "duration_ms" },
  },
  tool_call: {
    event: "PreToolUse",
    carries: ["allow", "deny"],
    stops: { deny: "ToolBlocked" },
    answers: "tool",
    fields: { ...call, arguments_json: "tool_input" },
  },
  tool_result: {
    event: "PostToolUse",
    carries: ["replace_result"],
    stops: {},
    answers: "result",
    fields: { ...call, result: "tool_response", is_error: "is_error", duration_ms: "duration_ms" },
  },
  error: { event: "ModelRequestFailure", ...notification, fields: { model: "model", error: "error" } },
  complete: {
    event: "TurnComplete",
    ...notification,
    fields: { model: "model", message: "message", total_iterations: "total_iterations" },
  },
});

/** The hooks of pig, an agent library in Gleam: one decision a kind of event, with the names of those who made it. */
export const pig: Dialect<PigRow> = {
  name: "pig",
  system: "pig/hooks (Gleam)",
  rows,

  parse(message) {
    const [name, row] = rowOf(rows, message, "event", "pig");
    const text = row.answers === "tool" ? fieldOf(message, "arguments_json") : undefined;
    const tool_input =
      text === undefined ? undefined : toToolInput(readInnerText(text, "arguments_json"), "arguments_json");
    return { name, row, message, event: eventOf(name, row, message, { tool_input }) };
  },

  format(decision, { row, message }: Parsed<PigRow>) {
    switch (row.answers) {
      case "tool":
        if (decision.verdict !== "deny") return { decision: "ToolAllowed" };
        return { decision: row.stops.deny, hook_name: decision.decided_by, reason: reasonOf(decision) };
      case "result":
        return formatResult(decision, message);
      case "messages": {
        const transformers = writersOf(decision, "replace_messages");
        if (transformers.length === 0) return { decision: "MessagesUnchanged", original: message.messages };
        return { decision: "MessagesReplaced", final_messages: decision.changes.messages, transformers };
      }
      default:
        return { decision: "Notified" };
    }
  },
};

function formatResult({ changes, ...decision }: Decision, message: Message): unknown {
  const transformers = writersOf({ changes, ...decision }, "replace_result");
  if (transformers.length === 0) return { decision: "ResultUnchanged", original_event: message };
  const { tool_response: result, is_error = message.is_error } = changes;
  const final_event = {
    ...message,
    // A result is a text there.
    result: typeof result === "string" ? result : JSON.stringify(result),
    is_error: is_error ?? false,
  };
  return { decision: "ResultTransformed", final_event, transformers };
}
