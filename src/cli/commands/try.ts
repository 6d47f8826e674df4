import { type Command } from "commander";
import { quote } from "@hookwarden/sandbox/json";
import { type Program, type Sandbox, defaultLimits } from "@hookwarden/sandbox";
import {
  type ActionName,
  type EventName,
  actionNames,
  actionRows,
  eventNames,
  eventRows,
} from "../../catalogue/index.ts";
import { didYouMean, HookwardenError } from "../../errors/index.ts";
import { type LoadedPack } from "../../pack/index.ts";
import { sourcePlace } from "../../compile/index.ts";
import { MemoryStateStore } from "../../state/index.ts";
import { createWarden, createSandbox } from "../../warden/index.ts";
import { type BareOptions, barePack, bundleBare } from "../bare-hook.ts";
import type { Cli } from "../cli.ts";
import { traceText } from "../decision-trace.ts";
import { type FoundEvent, placed, readEvents } from "../event-source.ts";
import { safeJson } from "../sanitize-text.ts";
import { readJsonOption } from "../json-file.ts";
import {
  addEngine,
  addEvents,
  addExample,
  addFormat,
  type EngineOptions,
  type FormatOption,
  names,
  required,
} from "../options.ts";
import { reportError } from "../report-error.ts";
import { paragraph } from "../table.ts";

interface TryOptions extends FormatOption, EngineOptions {
  readonly events?: string;
  readonly on?: readonly string[];
  readonly reads?: readonly string[];
  readonly actions?: readonly string[];
  readonly config?: string;
  readonly state?: string;
}

/** Most events of one try. They are held all at once: what the script is subscribed to depends on them. */
const maxEvents = 10_000;
/** Exit status where an event could not be read. */
const badInput = 65;

export function define(command: Command, cli: Cli): void {
  addEvents(command.argument("<script>", "the script, JavaScript or TypeScript"))
    .option(
      "--on <events>",
      "events that it listens to (default: those of the file that it has a handler for)",
      names,
    )
    .option("--reads <paths>", "fields that it sees, such as tool_input.command (default: *)", names)
    .option(
      "--actions <names>",
      "actions that it may return (default: every one that is legal there, but allow)",
      names,
    )
    .option("--config <json>", "its configuration, as `ctx.config`")
    .option("--state <json>", "its state before the first event of each session, as `ctx.state`")
    .action((script: string, options: TryOptions) => tryScript(script, options, cli));
  addExample(
    addEngine(addFormat(command)),
    "try hook.ts --events session.jsonl",
    "try hook.js --events - --on PreToolUse --actions deny",
  );
}

async function tryScript(script: string, options: TryOptions, cli: Cli): Promise<void> {
  const { terminal } = cli;
  const asked = askedOf(options);
  terminal.progress("loading the script");
  const program = await bundleBare(script);
  const events = await collect(options, cli);
  await using sandbox = await createSandbox(
    { pack: "", engine: options.engine, isolation: options.isolation },
    () => undefined,
  );
  const on = asked.on ?? (await subscriptions(sandbox, program, events));
  const pack = barePack(program, { ...asked, on });
  const store = storeWith(options.state, pack, events);
  await using warden = await createWarden({ pack, sandbox, store, facts: "recorded" });
  if (options.format === "pretty") await terminal.line(heading(pack, cli, options));
  for (const found of events) {
    if (terminal.signal.aborted) break;
    const decision = await warden
      .dispatch(found.input)
      .catch((error: unknown) => bad(error, found, options, cli));
    if (decision)
      await terminal.line(
        options.format === "json" ? safeJson(decision) : traceText(terminal, decision, found.fields),
      );
  }
}

function askedOf(options: TryOptions): Partial<BareOptions> {
  const { on, reads, actions, config } = options;
  return {
    ...(on ? { on: on.map((name) => known(name, eventRows, eventNames, "event")) } : {}),
    ...(reads ? { reads } : {}),
    ...(actions ? { actions: actions.map((name) => known(name, actionRows, actionNames, "action")) } : {}),
    ...(config === undefined ? {} : { config: readJsonOption(config, "--config") }),
  };
}

function known<Name extends EventName | ActionName>(
  name: string,
  rows: ReadonlyMap<string, unknown>,
  all: readonly Name[],
  what: string,
): Name {
  if (rows.has(name)) return name as Name;
  throw new HookwardenError("usage", `there is no ${what} ${quote(name)}${didYouMean(name, all)}`);
}

async function collect(options: TryOptions, cli: Cli): Promise<readonly FoundEvent[]> {
  const events: FoundEvent[] = [];
  for await (const found of readEvents(required(options.events, "--events"), cli.terminal.signal)) {
    if (!("error" in found)) events.push(found);
    else bad(found.error, null, options, cli);
    if (events.length > maxEvents) {
      throw new HookwardenError(
        "usage",
        `there are more than ${maxEvents} events, which is for \`hookwarden run\``,
      );
    }
  }
  return events;
}

/** Reports a bad event; the others are still decided. */
function bad(error: unknown, found: FoundEvent | null, options: TryOptions, cli: Cli): null {
  if (!(error instanceof HookwardenError) || !error.code.startsWith("event-")) throw error;
  reportError(cli.terminal, found ? placed(error, found.place) : error, options.format === "json");
  cli.exitCode = badInput;
  return null;
}

/** The events that the script has a handler for; where it has one for all, those that there are. */
async function subscriptions(
  sandbox: Sandbox,
  program: Program,
  events: readonly FoundEvent[],
): Promise<readonly EventName[]> {
  const inspection = await sandbox.inspect(program, defaultLimits, "default");
  if (!inspection.ok) {
    const { message, position } = inspection.fault;
    const place = position ? sourcePlace(program, position) : null;
    throw new HookwardenError("load-failed", message, place ?? {});
  }
  const found = inspection.handlers ?? events.map(({ fields }) => String(fields["hook_event_name"]));
  const on = eventNames.filter((name) => found.includes(name));
  if (on.length > 0) return on;
  if (inspection.handlers === null) return eventNames;
  throw new HookwardenError("load-failed", "the script has no handler that is called like an event");
}

function storeWith(
  state: string | undefined,
  pack: LoadedPack,
  events: readonly FoundEvent[],
): MemoryStateStore {
  const store = new MemoryStateStore();
  if (state === undefined) return store;
  const value = JSON.stringify(readJsonOption(state, "--state"));
  const hook = pack.hooks[0]?.name ?? "";
  const sessions = new Set(events.map(({ fields }) => fields["session_id"]));
  for (const session of sessions) {
    if (typeof session !== "string") continue;
    store.commit([{ key: { tenant: "default", hook, scope: "session", session }, value, expected: 0 }]);
  }
  return store;
}

function heading(pack: LoadedPack, { terminal }: Cli, { engine }: TryOptions): string {
  const [hook] = pack.hooks;
  if (!hook) return "";
  const actions = [...hook.granted].filter((action) => action !== "continue");
  return [
    paragraph(terminal, 0, { text: `${hook.name} on ${engine}`, style: "bold" }),
    paragraph(terminal, 2, {
      text: `listens to ${hook.on.map(({ event }) => event).join(", ")}`,
      style: "dim",
    }),
    paragraph(terminal, 2, { text: `reads ${hook.reads.join(", ") || "nothing"}`, style: "dim" }),
    paragraph(terminal, 2, { text: `may ${actions.join(", ") || "do nothing"}`, style: "dim" }),
  ].join("\n");
}
