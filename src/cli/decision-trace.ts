import { type Decision, type TraceEntry, locationSuffix } from "../broker/index.ts";
import { describeAction, verdictStyle } from "./hook-summary.ts";
import { excerpt, safeJson } from "./sanitize-text.ts";
import { Table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** Longest text of a hook, in characters. */
const maxTextLength = 2_000;

/** A decision with its whole trace, for people: what each hook returned, said on its console, and cost. */
export function traceText(
  terminal: Terminal,
  decision: Decision,
  fields: { readonly [field: string]: unknown },
): string {
  const tool = fields["tool_name"];
  const of = typeof tool === "string" ? ` ${excerpt(tool, 60)}` : "";
  const lines = [
    "",
    terminal.style("bold", `${decision.hook_event_name}${of}`) +
      `: ${terminal.style(verdictStyle(decision.verdict), decision.verdict)}`,
  ];
  const facts = new Table(terminal, [
    { title: "", width: 0 },
    { title: "", width: 10 },
    { title: "", width: 40 },
  ]);
  for (const entry of decision.trace) {
    for (const [title, text] of factsOf(entry))
      lines.push(facts.row(["", { text: title, style: "dim" }, text]));
  }
  for (const [field, value] of Object.entries(decision.changes)) {
    lines.push(
      facts.row([
        "",
        { text: "rewrites", style: "dim" },
        excerpt(`${field} = ${safeJson(value)}`, maxTextLength),
      ]),
    );
  }
  return lines.join("\n");
}

function factsOf(entry: TraceEntry): [string, string][] {
  const facts: [string, string][] = [
    ["hook", `${entry.hook}${entry.recheck ? ", once more on the final event" : ""}`],
  ];
  facts.push(["outcome", entry.note === undefined ? entry.outcome : `${entry.outcome}: ${entry.note}`]);
  for (const action of entry.actions) facts.push(["action", describeAction(action, maxTextLength)]);
  const { fault } = entry;
  for (const { action, code, message } of entry.refused) {
    const shown = fault?.code === code && fault.message === message;
    if (!shown) facts.push(["refused", `${action}: ${code}: ${message}`]);
  }
  if (fault)
    facts.push(["fault", `${fault.code}: ${excerpt(fault.message + locationSuffix(fault), maxTextLength)}`]);
  for (const { level, text } of entry.logs) {
    text
      .split("\n")
      .forEach((line, index) =>
        facts.push([
          index === 0 ? `console` : "",
          `${index === 0 ? `${level}: ` : ""}${excerpt(line, maxTextLength)}`,
        ]),
      );
  }
  if (entry.outcome !== "not-matched" && entry.outcome !== "not-run") facts.push(["cost", cost(entry)]);
  return facts;
}

function cost({ steps, duration_us, memory_bytes }: TraceEntry): string {
  const parts = [
    `${duration_us.toLocaleString("en")} µs`,
    `${Math.ceil(memory_bytes / 1_024).toLocaleString("en")} KiB`,
  ];
  return [...(steps === null ? [] : [`${steps.toLocaleString("en")} steps`]), ...parts].join(", ");
}
