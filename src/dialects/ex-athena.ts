import { isObject, quote } from "@hookwarden/sandbox/json";
import type { Decision } from "../broker/index.ts";
import {
  type ActionName,
  type EventActionName,
  type EventName,
  eventRows,
  legalActions,
} from "../catalogue/index.ts";
import { type Dialect, type DialectRow, type Parsed, type StopVerdict, table } from "./dialect.ts";
import { commonOf, fieldOf, invalid, rowOf } from "./message.ts";
import { injected, reasonOf } from "./decision-queries.ts";
import { toToolInput } from "./tool-arguments.ts";

interface AthenaRow extends DialectRow {
  readonly kind: "tool" | "lifecycle";
  /** What stands for fields that the system does not send and the event must have. */
  readonly defaults?: { readonly [field: string]: unknown };
}

/** All that a callback can return beside `:ok`. Each counts where it means something, and nowhere else. */
const words = ["deny", "halt", "inject", "transform", "augment"] as const satisfies readonly ActionName[];
const subagent = { agent_id: "subagent", agent_type: "subagent" };

function row(
  kind: AthenaRow["kind"],
  event: EventName,
  carries: readonly EventActionName[],
  stops: AthenaRow["stops"],
): AthenaRow {
  return { kind, event, carries, stops, ignores: words.filter((word) => !carries.includes(word)) };
}

/** An event of the life of an agent: halts, injects and transforms, as far as the moment has them. */
function lifecycle(event: EventName): AthenaRow {
  const carries = (["halt", "inject", "transform"] as const).filter((word) => legalActions(event).has(word));
  // What a hook that fails closed makes of the step is a halt here, as the system has no milder word.
  const closed = eventRows.get(event)?.closedAs;
  const stops: { [V in StopVerdict]?: string } = carries.includes("halt") ? { halt: "halt" } : {};
  return row("lifecycle", event, carries, closed === undefined ? stops : { ...stops, [closed]: "halt" });
}

const rows = table<AthenaRow>({
  SessionStart: lifecycle("SessionStart"),
  SessionEnd: lifecycle("SessionEnd"),
  UserPromptSubmit: lifecycle("UserPromptSubmit"),
  ChatParams: { ...lifecycle("PreModelRequest"), defaults: { model: "", messages: [] } },
  Stop: lifecycle("Stop"),
  StopFailure: { ...lifecycle("StopFailure"), defaults: { error: "" } },
  PreToolUse: row("tool", "PreToolUse", ["deny", "halt"], { deny: "deny", halt: "halt" }),
  PostToolUse: row("tool", "PostToolUse", ["augment", "halt"], { halt: "halt", block: "halt" }),
  PostToolUseFailure: {
    ...row("tool", "PostToolUseFailure", ["halt"], { halt: "halt" }),
    defaults: { error: "" },
  },
  PermissionRequest: row("tool", "PermissionRequest", ["deny", "halt"], { deny: "deny", halt: "halt" }),
  PermissionDenied: row("tool", "PermissionDenied", ["halt"], { halt: "halt" }),
  SubagentStart: { ...lifecycle("SubagentStart"), defaults: subagent },
  SubagentStop: { ...lifecycle("SubagentStop"), defaults: subagent },
  PreCompact: { ...lifecycle("PreCompact"), defaults: { trigger: "auto" } },
  PreCompactStage: { ...lifecycle("CompactStage"), defaults: { stage: "stage" } },
  PostCompact: { ...lifecycle("PostCompact"), defaults: { trigger: "auto" } },
  Notification: { ...lifecycle("Notification"), defaults: { message: "" } },
});

/** The hooks of ExAthena (Elixir): callbacks of a tool event say one thing, those of a lifecycle event several. */
export const exAthena: Dialect<AthenaRow> = {
  name: "ex-athena",
  system: "ExAthena hooks (Elixir)",
  rows,

  parse(message) {
    const [name, row] = rowOf(rows, message, "event", "ex-athena");
    const input = fieldOf(message, "input") ?? {};
    if (!isObject(input)) throw invalid(`the message is no ${quote(name)}: \`input\` is no object`, "/input");
    const places: { [field: string]: string } = {};
    for (const field of Object.keys(input)) places[field] = `/input/${field}`;
    const event: { [field: string]: unknown } = { ...row.defaults, ...input, ...commonOf(message) };
    if (fieldOf(message, "session_id") === undefined && input.session_id !== undefined)
      event.session_id = input.session_id;
    event.hook_event_name = row.event;
    if (row.kind === "tool") {
      const id = fieldOf(message, "tool_use_id");
      if (id !== undefined && id !== null) event.tool_use_id = id;
      // Arguments stay nested: merged with the rest, one that is called `tool_name` could rename the tool.
      if (event.tool_input !== undefined) event.tool_input = toToolInput(event.tool_input, "tool_input");
      if (name === "PostToolUse" && event.tool_response === undefined) event.tool_response = event.result;
    }
    return { name, row, message, event, places };
  },

  format(decision, { row }: Parsed<AthenaRow>) {
    const stop = row.stops[decision.verdict as StopVerdict];
    if (row.kind === "lifecycle") return formatLifecycle(decision, stop !== undefined);
    if (stop !== undefined) return { [stop]: reasonOf(decision) };
    const { augment } = decision.additions;
    return augment === null ? "ok" : { augment: augment.text };
  },
};

function formatLifecycle(decision: Decision, stopped: boolean): unknown {
  return {
    halt: stopped ? reasonOf(decision) : null,
    injects: injected(decision),
    transform: decision.changes.prompt ?? null,
  };
}
