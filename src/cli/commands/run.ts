import type { Command } from "commander";
import { settingsOf } from "@hookwarden/sandbox/process";
import type { Decision, EventInput } from "../../broker/index.ts";
import { dialectOf, dialects, Translator } from "../../dialects/index.ts";
import { HookwardenError } from "../../errors/index.ts";
import type { LoadedPack } from "../../pack/index.ts";
import { createWarden, type Warden } from "../../warden/index.ts";
import type { Cli } from "../cli.ts";
import { DecisionTable, plural, Totals } from "../decision-table.ts";
import { type Found, type FoundEvent, placed, readEvents } from "../event-source.ts";
import { inOrder } from "../in-order.ts";
import { safeJson } from "../sanitize-text.ts";
import {
  addEngine,
  addEvents,
  addExample,
  addFormat,
  addReview,
  type EngineOptions,
  type FormatOption,
  names,
  readTools,
  required,
  type ReviewOptions,
  reviewOf,
} from "../options.ts";
import { reportError } from "../report-error.ts";
import { paragraph } from "../table.ts";

interface RunOptions extends FormatOption, EngineOptions, ReviewOptions {
  readonly events?: string;
  readonly tool?: readonly string[];
  readonly tools?: string;
  readonly failOnStop?: true;
  readonly dialect?: string;
  readonly log?: string;
  readonly mask?: readonly string[];
}

/** Verdicts that `--fail-on-stop` is about. */
const stops: ReadonlySet<string> = new Set(["deny", "skip", "block", "halt"]);
/** Exit status where an event was stopped. */
const stopped = 2;
/** Exit status where an event could not be read. */
const badInput = 65;

export function define(command: Command, cli: Cli): void {
  addEvents(command.argument("<pack>", "folder of the pack"))
    .option("--tool <names>", "process only events of these tools (comma-separated)", names)
    .option("--tools <file>", "JSON file with the input schemas of tools; rewritten inputs must match them")
    .option(
      "--dialect <name>",
      `event and answer format of another system: ${[...dialects.keys()].join(", ")}`,
    )
    .option("--log <file>", "append each decision to this log, for verification and replay")
    .option("--mask <pointers>", "JSON pointers to event fields that the log must not contain", names)
    .option("--fail-on-stop", "exit 2 if a decision is deny, skip, block or halt")
    .action((pack: string, options: RunOptions) => run(pack, options, cli));
  addExample(
    addReview(addEngine(addFormat(command))),
    "run ./policies --events session.jsonl",
    "run ./policies --events - --format json < session.jsonl",
  );
}

async function run(pack: string, options: RunOptions, cli: Cli): Promise<void> {
  const { engine, isolation } = options;
  const events = required(options.events, "--events");
  const dialect = options.dialect === undefined ? null : dialectOf(options.dialect);
  const tools = options.tools === undefined ? {} : { tools: await readTools(options.tools) };
  cli.terminal.progress("loading the pack");
  const log = options.log === undefined ? {} : { log: { to: options.log, mask: options.mask ?? [] } };
  await using warden = await createWarden({
    pack,
    engine,
    isolation,
    ...tools,
    ...log,
    ...reviewOf(options),
  });
  const ask = dialect === null ? plainly(warden) : translated(new Translator(dialect, warden));
  const orderOf = orderKey(warden.pack);
  const found = ofTools(readEvents(events, cli.terminal.signal), options.tool);
  const answers = inOrder(found, orderOf, (one) => answer(ask, one), concurrency(options));
  const { bad, stops: count } = await print(answers, options, cli);
  if (bad > 0) cli.exitCode = badInput;
  else if (options.failOnStop && count > 0) cli.exitCode = stopped;
}

/** What became of one event. */
interface Answer {
  /** `null` where no hook could be asked. */
  readonly decision: Decision | null;
  /** The decision, or what it is in the words of another system. */
  readonly answer: unknown;
  readonly note: string | null;
}

type Answered = (Answer & { readonly found: FoundEvent }) | { readonly error: HookwardenError };
type Ask = (event: EventInput) => Promise<Answer>;

async function print(
  answers: AsyncIterable<Answered>,
  { format }: RunOptions,
  { terminal }: Cli,
): Promise<{ bad: number; stops: number }> {
  const table = new DecisionTable(terminal);
  const totals = new Totals();
  let bad = 0;
  let stopCount = 0;
  let shown = 0;
  for await (const answered of answers) {
    if (terminal.signal.aborted) break;
    terminal.progress(`${shown + bad + 1} events`);
    if ("error" in answered) {
      bad++;
      reportError(terminal, answered.error, format === "json");
      continue;
    }
    const { decision, found, note } = answered;
    if (decision && stops.has(decision.verdict)) stopCount++;
    if (decision) totals.add(decision);
    if (format === "json") await terminal.line(safeJson(answered.answer));
    else {
      if (shown === 0) await terminal.line(table.head());
      await terminal.line(
        decision
          ? table.lines(decision, found.fields)
          : paragraph(terminal, 10, { text: note ?? "", style: "dim" }),
      );
    }
    shown++;
  }
  terminal.clearProgress();
  if (format === "pretty") {
    await terminal.line(`\n${totals}${bad > 0 ? `; ${plural(bad, "bad event")}` : ""}`);
  }
  return { bad, stops: stopCount };
}

/**
 * How many events are decided at the same time: as many as there are processes for hooks. More would wait for each
 * other, and the wait would count as their time.
 */
function concurrency({ engine, isolation }: EngineOptions): number {
  return isolation === "inline" ? 1 : settingsOf({ engine }).processes;
}

/** State goes from one event of a session to the next, and that of a tenant from each event to the next. */
function orderKey(pack: LoadedPack): (found: Found) => string {
  if (pack.hooks.some(({ state }) => state?.scope === "tenant")) return () => "";
  return (found) =>
    "fields" in found && typeof found.fields["session_id"] === "string" ? found.fields["session_id"] : "";
}

async function answer(ask: Ask, found: Found): Promise<Answered> {
  if ("error" in found) return found;
  try {
    return { found, ...(await ask(found.input)) };
  } catch (error) {
    if (!(error instanceof HookwardenError) || !ofOneEvent(error)) throw error;
    return { error: placed(error, found.place) };
  }
}

/** Whether an error is about one event, so that the others can go on. */
function ofOneEvent({ code }: HookwardenError): boolean {
  return code.startsWith("event-") || code === "dialect-unsupported";
}

function plainly(warden: Warden): Ask {
  return async (event) => {
    const decision = await warden.dispatch(event);
    return { decision, answer: decision, note: null };
  };
}

function translated(translator: Translator): Ask {
  return (event) => translator.reply(event);
}

async function* ofTools(
  events: AsyncIterable<Found>,
  tools: readonly string[] | undefined,
): AsyncGenerator<Found> {
  for await (const found of events) {
    if (!tools || "error" in found || tools.includes(String(found.fields["tool_name"]))) yield found;
  }
}
