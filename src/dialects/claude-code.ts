import { quote } from "@hookwarden/sandbox/json";
import type { AttributedText, Decision } from "../broker/index.ts";
import { type EventActionName, type EventName, eventRows } from "../catalogue/index.ts";
import { fitToolOutput, withholdToolOutput } from "./claude-code-output.ts";
import type { Dialect, DialectRow, Helpers, Message, Parsed, StopVerdict } from "./dialect.ts";
import { table } from "./dialect.ts";
import { commonOf, fieldOf, rowOf } from "./message.ts";
import { addedTexts, feedbackParts, reasonOf, reasonParts } from "./decision-queries.ts";

/**
 * How a stop is said: by the permission to run a tool, by the answer to a question for permission, by `decision:
 * "block"` with a reason that the model or that the person reads, or by ending the session's turn.
 */
type StopFormat = "permission" | "answer" | "block-for-model" | "block-for-person" | "end";

interface ClaudeRow extends DialectRow {
  readonly stops: { readonly [V in StopVerdict]?: StopFormat };
}

function row(
  event: EventName,
  carries: readonly EventActionName[],
  stops: ClaudeRow["stops"],
): [string, ClaudeRow] {
  return [event, { event, carries, stops }];
}

const end = { halt: "end" } as const;
const forPerson = { block: "block-for-person", ...end } as const;

const rows = table<ClaudeRow>(
  Object.fromEntries([
    row("SessionStart", ["inject", "add_context", "halt"], end),
    row("SessionEnd", [], {}),
    row("UserPromptSubmit", ["block", "halt", "inject", "add_context"], forPerson),
    row("PreToolUse", ["allow", "ask", "deny", "skip", "halt", "modify_input", "add_context"], {
      deny: "permission",
      skip: "permission",
      halt: "permission",
    }),
    row("PermissionRequest", ["allow", "ask", "deny", "halt"], { deny: "answer", halt: "answer" }),
    row("PermissionDenied", ["halt"], end),
    row("PostToolUse", ["augment", "replace_result", "block", "halt", "inject"], {
      block: "block-for-model",
      ...end,
    }),
    row("PostToolUseFailure", ["augment", "add_context", "halt"], end),
    // Context at a stop makes the agent go on, which only `retry` and `block` may do, and only so often.
    row("Stop", ["retry", "block", "halt"], { block: "block-for-model", ...end }),
    row("StopFailure", [], {}),
    row("SubagentStart", ["inject", "add_context", "halt"], end),
    row("SubagentStop", ["retry", "halt"], end),
    row("PreCompact", ["block", "halt"], forPerson),
    row("PostCompact", ["halt"], end),
    row("Notification", ["halt"], end),
  ]),
);

/** Events of Claude Code at which nothing that hooks return here could mean anything. */
export const unhooked: ReadonlySet<string> = new Set([
  "PostToolBatch",
  "UserPromptExpansion",
  "PreModelSwitch",
  "PostModelSwitch",
  "Setup",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "Elicitation",
  "ElicitationResult",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "InstructionsLoaded",
  "CwdChanged",
  "FileChanged",
  "DirectoryAdded",
  "MessageDisplay",
]);

/** The hooks of Claude Code and its Agent SDK: what a hook command reads from stdin, and writes to stdout. */
export const claudeCode: Dialect<ClaudeRow> = {
  name: "claude-code",
  system: "Claude Code and its Agent SDK",
  rows,

  parse(message) {
    const given = fieldOf(message, "hook_event_name");
    if (typeof given === "string" && unhooked.has(given)) {
      return {
        row: null,
        answer: {},
        note: `no hook can listen to ${quote(given)}, which passes unhooked`,
      };
    }
    const [name, row] = rowOf(rows, message, "hook_event_name", "claude-code");
    const event: { [field: string]: unknown } = { ...message, ...commonOf(message) };
    // Where it has nothing to say, the system says `null`; the catalogue leaves such a field out.
    for (const [field, { optional }] of Object.entries(eventRows.get(row.event)?.fields ?? {})) {
      if (optional && event[field] === null) delete event[field];
    }
    if (name === "PostCompact" && event.summary === undefined) event.summary = event.compact_summary;
    return { name, row, message, event, places: { summary: "/compact_summary" } };
  },

  format(decision, { row, message }: Parsed<ClaudeRow>, helpers) {
    const answer: { [field: string]: unknown } = {};
    const output: { [field: string]: unknown } = {};
    const stop = row.stops[decision.verdict as StopVerdict];
    if (stop !== undefined) formatStop(decision, stop, { message, helpers, answer, output });
    else formatPass(decision, row, { message, helpers, answer, output });
    const { notices } = decision.additions;
    if (notices.length > 0) answer.systemMessage = notices.map(({ text }) => text).join("\n");
    if (Object.keys(output).length > 0) answer.hookSpecificOutput = { hookEventName: row.event, ...output };
    return answer;
  },
};

type Part = { [field: string]: unknown };

/** What an answer is made from, and the parts of it that are filled in. */
interface Formatting {
  readonly message: Message;
  readonly helpers: Helpers;
  readonly answer: Part;
  readonly output: Part;
}

function formatStop(
  decision: Decision,
  form: StopFormat,
  { message, helpers, answer, output }: Formatting,
): void {
  const reason = reasonOf(decision);
  const halts = decision.verdict === "halt";
  if (halts) {
    answer.continue = false;
    answer.stopReason = reason;
  }
  const forModel = (): string => helpers.fence(reasonParts(decision));
  if (form === "permission") {
    output.permissionDecision = "deny";
    output.permissionDecisionReason = forModel();
  } else if (form === "answer") {
    output.decision = { behavior: "deny", message: forModel(), ...(halts ? { interrupt: true } : {}) };
  } else if (form !== "end") {
    answer.decision = "block";
    answer.reason = form === "block-for-model" ? forModel() : reason;
  }
  // What the model must not see is the result itself, and a reason beside it would not keep that back.
  if (decision.hook_event_name === "PostToolUse")
    output.updatedToolOutput = withholdToolOutput(message.tool_response);
}

function formatPass(
  decision: Decision,
  { event }: ClaudeRow,
  { message, helpers, answer, output }: Formatting,
): void {
  const { verdict, reason, changes } = decision;
  if (verdict === "retry") {
    answer.decision = "block";
    answer.reason = helpers.fence(feedbackParts(decision));
  } else if (verdict === "allow" || verdict === "ask") {
    if (event === "PreToolUse") {
      output.permissionDecision = verdict;
      if (reason !== null) output.permissionDecisionReason = reason;
    }
    // A person is about to be asked as it is.
    else if (verdict === "allow") output.decision = { behavior: "allow" };
  }
  if (Object.hasOwn(changes, "tool_input")) output.updatedInput = changes.tool_input;
  if (Object.hasOwn(changes, "tool_response")) {
    output.updatedToolOutput = fitToolOutput(message.tool_response, changes.tool_response);
  }
  const texts: AttributedText[] = addedTexts(decision, ["augment", "inject", "add_context"]);
  if (texts.length > 0) output.additionalContext = helpers.fence(texts);
}
