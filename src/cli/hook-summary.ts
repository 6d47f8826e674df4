import { type Action, type Decision, type TraceEntry, locationSuffix } from "../broker/index.ts";
import { actionRows } from "../catalogue/index.ts";
import { excerpt } from "./sanitize-text.ts";
import type { Style } from "./terminal.ts";

/** What one hook did, in one sentence. */
export interface HookSummary {
  readonly hook: string;
  readonly text: string;
  readonly style: Style;
}

/** Longest text of a hook in a sentence, in characters. */
const maxTextLength = 300;

const verdictStyles: ReadonlyMap<string, Style> = new Map<string, Style>([
  ["continue", "dim"],
  ["allow", "green"],
  ["ask", "yellow"],
  ["retry", "yellow"],
]);

/** How a verdict is coloured: what stops is red. */
export function verdictStyle(verdict: string): Style {
  return verdictStyles.get(verdict) ?? "red";
}

/** What hooks did that somebody should know of, the one that decided first. */
export function summarizeHooks(decision: Decision): readonly HookSummary[] {
  const summaries: HookSummary[] = [];
  const { decided_by: decider } = decision;
  const why = decision.reason ?? decision.feedback;
  // The line of a fault covers the decision that it made.
  const failed = decision.trace.some(({ hook, fault }) => hook === decider && fault !== null);
  if (decider !== null && !failed) {
    summaries.push({
      hook: decider,
      text: excerpt(why ?? decision.verdict, maxTextLength),
      style: verdictStyle(decision.verdict),
    });
  }
  for (const entry of decision.trace) summaries.push(...summarizeEntry(entry, decision));
  return summaries;
}

function summarizeEntry(entry: TraceEntry, decision: Decision): HookSummary[] {
  const { hook, outcome, fault, refused } = entry;
  if (fault) {
    const closed = hook === decision.decided_by ? ", fails closed" : "";
    const text = `fault${closed}: ${fault.code}: ${excerpt(fault.message + locationSuffix(fault), maxTextLength)}`;
    return [{ hook, text, style: closed ? verdictStyle(decision.verdict) : "magenta" }];
  }
  const summaries: HookSummary[] = refused.map(({ action, code, message }) => ({
    hook,
    text: `${action} refused: ${code}: ${excerpt(message, maxTextLength)}`,
    style: "magenta",
  }));
  for (const action of entry.actions) {
    const decides =
      hook === decision.decided_by && outcome === "honoured" && action.action === decision.verdict;
    if (decides || quiet.has(action.action)) continue;
    const prefix = prefixes.get(outcome) ?? "";
    summaries.push({
      hook,
      text: prefix + describeAction(action, maxTextLength),
      style: prefix ? "dim" : "cyan",
    });
  }
  return summaries;
}

/** Of no interest to a person who reads a list of decisions. */
const quiet: ReadonlySet<string> = new Set(["continue", "set_state"]);
const prefixes: ReadonlyMap<string, string> = new Map([
  ["monitored", "would, but is only watched: "],
  ["discarded", "discarded: "],
]);

/** An action in words: its name, and what it says or carries. */
export function describeAction(action: Action, maxChars: number): string {
  const fields = Object.keys(actionRows.get(action.action)?.payload ?? {}).filter((field) => field in action);
  const [first, ...others] = fields;
  if (first === undefined) return action.action;
  const value = action[first];
  const said =
    typeof value === "string" && others.length === 0
      ? value
      : fields.map((field) => `${field}=${JSON.stringify(action[field])}`).join(" ");
  return `${action.action}: ${excerpt(said, maxChars)}`;
}
