import type { Command } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import { type EventName, eventNames, eventRows } from "../../catalogue/index.ts";
import { didYouMean, HookwardenError } from "../../errors/index.ts";
import { defaultLimits, type Limits } from "@hookwarden/sandbox";
import { unhooked } from "../../dialects/index.ts";
import { loadPack } from "../../pack/index.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../decision-table.ts";
import { explain, type Explanation, type RunningHook } from "../explanation.ts";
import { safeJson } from "../sanitize-text.ts";
import { addExample, addFormat, type FormatOption, required } from "../options.ts";
import { paragraph, Table } from "../table.ts";
import type { Terminal } from "../terminal.ts";

interface ExplainOptions extends FormatOption {
  readonly event?: string;
  readonly tool?: string;
}

export function define(command: Command, cli: Cli): void {
  command
    .argument("<pack>", "folder of the pack")
    .option("--event <name>", "name of the event, such as PreToolUse (required)")
    .option("--tool <name>", "only for this tool (at other events: this source, trigger, model …)")
    .action(async (folder: string, options: ExplainOptions) => {
      const given = required(options.event, "--event");
      if (unhooked.has(given)) return printPassThrough(given, options.format, cli.terminal);
      const event = knownEvent(given);
      cli.terminal.progress("loading the pack");
      const pack = await loadPack(folder);
      const explanation = explain(pack, event, nameFor(event, options.tool));
      if (options.format === "json") await cli.terminal.line(safeJson(explanation, 2));
      else await print(explanation, pack.monitor, cli.terminal);
    });
  addExample(
    addFormat(command),
    "explain ./policies --event PreToolUse --tool Bash",
    "explain ./policies --event PostToolUse --format json",
  );
}

/** Claude Code has events that the catalogue has no row for. */
async function printPassThrough(event: string, format: string, terminal: Terminal): Promise<void> {
  const note = "an event of Claude Code that no hook can listen to; it passes untouched";
  if (format === "json") await terminal.line(safeJson({ event, runs: [], idle: [], note }, 2));
  else await terminal.line(paragraph(terminal, 0, `${event}: ${note}`));
}

function knownEvent(name: string): EventName {
  if (eventRows.has(name)) return name as EventName;
  throw new HookwardenError("usage", `there is no event ${quote(name)}${didYouMean(name, eventNames)}`);
}

function nameFor(event: EventName, name: string | undefined): string | null {
  if (name === undefined) return null;
  if (eventRows.get(event)?.matches !== undefined) return name;
  throw new HookwardenError("usage", `\`--tool\` says nothing at ${event}, which has no name to match`);
}

async function print(explanation: Explanation, monitor: boolean, terminal: Terminal): Promise<void> {
  const { event, name, matches, runs, idle } = explanation;
  const at = name === null ? event : `${event} with ${matches} \`${name}\``;
  const what =
    runs.length === 0
      ? "no hook runs"
      : `${plural(runs.length, "hook")} ${runs.length === 1 ? "runs" : "run"}`;
  await terminal.line(paragraph(terminal, 0, { text: `${at}: ${what}`, style: "bold" }));
  if (monitor) await terminal.line("The pack is in monitor mode: everything runs, nothing counts.");
  const facts = new Table(terminal, [
    { title: "", width: 1 },
    { title: "", width: 8 },
    { title: "", width: 40 },
  ]);
  for (const [index, hook] of runs.entries()) {
    await terminal.line("");
    await terminal.line(
      paragraph(terminal, 0, { text: `${index + 1}. ${hook.hook} ${hook.version}`, style: "bold" }),
    );
    for (const [title, text] of factsOf(hook, explanation)) {
      await terminal.line(facts.row(["", { text: title, style: "dim" }, text]));
    }
  }
  if (idle.length === 0) return;
  await terminal.line(`\n${terminal.style("bold", "Not run")}`);
  for (const { hook, why } of idle) await terminal.line(paragraph(terminal, 3, `${hook}: ${why}`));
}

function factsOf(hook: RunningHook, { matches, name }: Explanation): [string, string][] {
  const facts: [string, string][] = [["order", `priority ${hook.priority}, ${hook.mode}`]];
  if (hook.matchers && name === null) {
    facts.push([
      "only if",
      `${matches} matches ${hook.matchers.map((source) => `\`${source}\``).join(" or ")}`,
    ]);
  }
  if (hook.when) facts.push(["when", hook.when.join(", or ")]);
  facts.push(["reads", hook.reads.join(", ") || "nothing of the event's own fields"]);
  facts.push(["may", hook.monitor ? "do nothing: it is only watched" : hook.may.join(", ") || "do nothing"]);
  if (hook.ungranted.length > 0)
    facts.push(["may not", `${hook.ungranted.join(", ")}: asked for, not granted`]);
  if (hook.state) facts.push(["state", `kept for each ${hook.state}`]);
  facts.push([
    "on fault",
    hook.closed_as === null ? "open: the step goes on" : `closed: the verdict is ${hook.closed_as}`,
  ]);
  facts.push(["limits", limitsText(hook.limits)]);
  for (const note of hook.notes) facts.push(["note", note]);
  return facts;
}

/** The limits that matter most, and those that are not the default. */
function limitsText(limits: Limits): string {
  const always: readonly string[] = ["steps", "wallMs", "memoryKb"];
  return Object.entries(limits)
    .filter(([limit, value]) => always.includes(limit) || value !== defaultLimits[limit as keyof Limits])
    .map(([limit, value]) => `${limit} ${value.toLocaleString("en")}`)
    .join(", ");
}
