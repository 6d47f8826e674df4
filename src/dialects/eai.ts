import { quote } from "@hookwarden/sandbox/json";
import { type Dialect, type DialectRow, type Parsed, table } from "./dialect.ts";
import { commonOf, fieldOf, invalid, rowOf } from "./message.ts";
import { reasonOf } from "./decision-queries.ts";
import { fromToolInput, toToolInput } from "./tool-arguments.ts";

interface EaiRow extends DialectRow {
  /** The name of the tool, where the message does not tell it. */
  readonly tool?: string;
  /** What the hooks of the row reduce: what is there already when they begin. */
  readonly result?: "result" | "reason";
}

/** An error of a hook is the same as `:ok`, with telemetry. */
const open = { onFailure: "open" } as const;
const before = {
  event: "PreToolUse",
  carries: ["deny", "modify_input"],
  ...open,
  stops: { deny: "block" },
} as const;
const after = {
  event: "PostToolUse",
  carries: ["block", "replace_result"],
  ...open,
  stops: { block: "block" },
  result: "result",
} as const;
/** Hooks of model requests are hooks of a tool of this name. */
const llm = { tool: "LLM_REQUEST" };

const rows = table<EaiRow>({
  pre: before,
  post: after,
  llm_pre: { ...before, ...llm },
  llm_post: { ...after, ...llm },
  terminal: {
    event: "PostToolUse",
    // A veto ends the chain of hooks there, and nothing else: what terminates does so.
    carries: ["block"],
    ignores: ["replace_result"],
    ...open,
    stops: { block: "ok" },
    result: "reason",
  },
});

/** The hub of Eai (Elixir): hooks before and after each call of a tool and of a model. */
export const eai: Dialect<EaiRow> = {
  name: "eai",
  system: "Eai.Hub.Pipeline (Elixir)",
  rows,

  parse(message) {
    const [name, row] = rowOf(rows, message, "run", "eai");
    const event: { [field: string]: unknown } = { hook_event_name: row.event, ...commonOf(message) };
    event.tool_name = row.tool ?? needed(name, message, "tool");
    const payload = fieldOf(message, "payload");
    if (payload !== undefined && payload !== null) event.tool_input = toToolInput(payload, "payload");
    else if (row.result === undefined) needed(name, message, "payload");
    if (row.result === "result") event.tool_response = needed(name, message, "result");
    if (row.result === "reason") event.tool_response = { terminated: needed(name, message, "reason") };
    return { name, row, message, event, places };
  },

  format(decision, { row, message }: Parsed<EaiRow>) {
    const stop = row.stops[decision.verdict as "deny" | "block"];
    if (stop === "block") return { block: reasonOf(decision) };
    if (stop !== undefined || row.result === "reason") return { ok: true };
    if (row.result === "result") {
      return {
        ok: Object.hasOwn(decision.changes, "tool_response")
          ? decision.changes.tool_response
          : message.result,
      };
    }
    if (!Object.hasOwn(decision.changes, "tool_input")) return { ok: true };
    return { modify: fromToolInput(message.payload, decision) };
  },
};

const places = { tool_name: "/tool", tool_input: "/payload", tool_response: "/result" };

function needed(name: string, message: Parsed["message"], field: string): unknown {
  const value = fieldOf(message, field);
  if (value === undefined || (value === null && field === "payload")) {
    throw invalid(`the message is no ${quote(name)}: it must have ${quote(field)}`, `/${field}`);
  }
  return value;
}
