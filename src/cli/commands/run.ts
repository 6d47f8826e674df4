import type { Command } from "commander";
import { settingsOf } from "../../../sandbox/process/options.ts";
import type { Decision } from "../../broker/decision.ts";
import { HookwardenError } from "../../errors.ts";
import type { LoadedPack } from "../../pack/types.ts";
import { createWarden, type Warden } from "../../warden.ts";
import type { Cli } from "../cli.ts";
import { DecisionTable, plural, Totals } from "../decision-table.ts";
import { type Found, type FoundEvent, placed, readEvents } from "../event-source.ts";
import { inOrder } from "../in-order.ts";
import { safeJson } from "../inert.ts";
import {
  addEngine,
  addEvents,
  addExample,
  addFormat,
  type EngineOptions,
  type FormatOption,
  names,
  readTools,
  required,
} from "../options.ts";
import { reportError } from "../report-error.ts";

interface RunOptions extends FormatOption, EngineOptions {
  readonly events?: string;
  readonly tool?: readonly string[];
  readonly tools?: string;
  readonly failOnStop?: true;
}

/** Verdicts that `--fail-on-stop` is about. */
const stops: ReadonlySet<string> = new Set(["deny", "skip", "block", "halt"]);
/** Exit status where an event was stopped. */
const stopped = 2;
/** Exit status where an event could not be read. */
const badInput = 65;

export function define(command: Command, cli: Cli): void {
  addEvents(command.argument("<pack>", "folder of the pack"))
    .option("--tool <names>", "only events of these tools, separated by commas", names)
    .option("--tools <file>", "JSON with the input schemas of tools, which rewritten inputs must keep to")
    .option("--fail-on-stop", "exit 2 if a decision is deny, skip, block or halt")
    .action((pack: string, options: RunOptions) => run(pack, options, cli));
  addExample(
    addEngine(addFormat(command)),
    "run ./policies --events session.jsonl",
    "run ./policies --events - --format json < session.jsonl",
  );
}

async function run(pack: string, options: RunOptions, cli: Cli): Promise<void> {
  const { engine, isolation } = options;
  const events = required(options.events, "--events");
  const tools = options.tools === undefined ? {} : { tools: await readTools(options.tools) };
  await using warden = await createWarden({ pack, engine, isolation, ...tools });
  const { bad, stops: count } = await decideAll(warden, events, options, cli);
  if (bad > 0) cli.exitCode = badInput;
  else if (options.failOnStop && count > 0) cli.exitCode = stopped;
}

type Decided =
  { readonly found: FoundEvent; readonly decision: Decision } | { readonly error: HookwardenError };

async function decideAll(
  warden: Warden,
  path: string,
  options: RunOptions,
  cli: Cli,
): Promise<{ bad: number; stops: number }> {
  const { terminal } = cli;
  const json = options.format === "json";
  const table = new DecisionTable(terminal);
  const totals = new Totals();
  const events = ofTools(readEvents(path, terminal.signal), options.tool);
  let bad = 0;
  let stopCount = 0;
  let done = 0;
  for await (const decided of inOrder(
    events,
    orderKey(warden.pack),
    (found) => decide(warden, found),
    atOnce(options),
  )) {
    if (terminal.signal.aborted) break;
    terminal.progress(`${++done} events`);
    if ("error" in decided) {
      bad++;
      reportError(terminal, decided.error, json);
      continue;
    }
    const { decision, found } = decided;
    if (stops.has(decision.verdict)) stopCount++;
    if (!json && done - bad === 1) await terminal.line(table.head());
    totals.add(decision);
    await terminal.line(json ? safeJson(decision) : table.lines(decision, found.fields));
  }
  terminal.clearProgress();
  if (!json) await terminal.line(`\n${totals}${bad > 0 ? `; ${plural(bad, "bad event")}` : ""}`);
  return { bad, stops: stopCount };
}

/**
 * How many events are decided at the same time: as many as there are processes for hooks. More would wait for each
 * other, and the wait would count as their time.
 */
function atOnce({ engine, isolation }: EngineOptions): number {
  return isolation === "inline" ? 1 : settingsOf({ engine }).processes;
}

/** State goes from one event of a session to the next, and that of a tenant from each event to the next. */
function orderKey(pack: LoadedPack): (found: Found) => string {
  if (pack.hooks.some(({ state }) => state?.scope === "tenant")) return () => "";
  return (found) =>
    "fields" in found && typeof found.fields["session_id"] === "string" ? found.fields["session_id"] : "";
}

async function decide(warden: Warden, found: Found): Promise<Decided> {
  if ("error" in found) return found;
  try {
    return { found, decision: await warden.dispatch(found.input) };
  } catch (error) {
    if (!(error instanceof HookwardenError) || !error.code.startsWith("event-")) throw error;
    return { error: placed(error, found.place) };
  }
}

async function* ofTools(
  events: AsyncIterable<Found>,
  tools: readonly string[] | undefined,
): AsyncGenerator<Found> {
  for await (const found of events) {
    if (!tools || "error" in found || tools.includes(String(found.fields["tool_name"]))) yield found;
  }
}
