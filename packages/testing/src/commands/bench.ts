import { type Command, InvalidArgumentError } from "commander";
import { defaultMaxEventBytes, readEvent } from "hookwarden/broker";
import { HookwardenError } from "hookwarden/errors";
import { benchPack, type HookCost, type Percentiles } from "../measure/index.ts";
import { loadPack } from "hookwarden/pack";
import { createSandbox } from "hookwarden/warden";
import {
  type Cli,
  plural,
  placed,
  readEvents,
  safeJson,
  addEngine,
  addEvents,
  addExample,
  addFormat,
  type EngineOptions,
  type FormatOption,
  required,
  reportError,
  Table,
  type Terminal,
} from "hookwarden/cli";

interface BenchOptions extends FormatOption, EngineOptions {
  readonly events?: string;
  readonly rounds: number;
  readonly forecast: boolean;
}

/** Exit status where an event could not be read. */
const badInput = 65;
const maxRounds = 10_000;

export function define(command: Command, cli: Cli): void {
  addEvents(command.argument("<pack>", "folder of the pack"))
    .option("--rounds <count>", "how often all events are decided; the first round warms up", rounds, 3)
    .option("--no-forecast", "do not grow inputs until a limit is reached")
    .action((pack: string, options: BenchOptions) => run(pack, options, cli));
  addExample(
    addEngine(addFormat(command)),
    "bench ./policies --events session.jsonl",
    "bench ./policies --events session.jsonl --format json",
  );
}

function rounds(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > maxRounds)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxRounds}.`);
  return count;
}

async function run(folder: string, options: BenchOptions, cli: Cli): Promise<void> {
  const { terminal } = cli;
  const { engine, isolation, format } = options;
  const path = required(options.events, "--events");
  const pack = await loadPack(folder);
  const events: { readonly [field: string]: unknown }[] = [];
  let bad = 0;
  for await (const found of readEvents(path, terminal.signal)) {
    try {
      if ("error" in found) throw found.error;
      events.push(readEvent(found.input, defaultMaxEventBytes, 0).event);
    } catch (error) {
      if (!(error instanceof HookwardenError)) throw error;
      bad++;
      reportError(terminal, "place" in found ? placed(error, found.place) : error, format === "json");
    }
  }
  await using sandbox = await createSandbox({ engine, isolation }, () => undefined);
  const costs = await benchPack({
    pack,
    events,
    rounds: options.rounds,
    forecast: options.forecast,
    sandbox,
    signal: terminal.signal,
    progress: (text) => terminal.progress(text),
  });
  terminal.clearProgress();
  if (format === "json") await terminal.line(safeJson({ engine, costs }, 2));
  else await print(costs, terminal);
  if (bad > 0) cli.exitCode = badInput;
}

const columns = [
  { title: "HOOK, EVENT", width: 26 },
  { title: "CALLS", width: 6, right: true },
  { title: "STEPS", width: 9, right: true },
  { title: "p99", width: 9, right: true },
  { title: "µs", width: 6, right: true },
  { title: "p99", width: 7, right: true },
  { title: "KiB", width: 5, right: true },
] as const;

async function print(costs: readonly HookCost[], terminal: Terminal): Promise<void> {
  if (costs.length === 0) {
    await terminal.line("No hook listens to any of these events.");
    return;
  }
  const table = new Table(terminal, columns);
  await terminal.line(table.head());
  for (const cost of costs) {
    const { hook, event, calls, faults, steps, us, memory, output } = cost;
    const kib = memory && { p50: memory.p50 / 1_024, p99: memory.p99 / 1_024 };
    await terminal.line(
      table.row([
        { text: hook, style: "bold" },
        String(calls),
        short(steps, "p50"),
        short(steps, "p99"),
        short(us, "p50"),
        short(us, "p99"),
        short(kib, "p99"),
      ]),
    );
    const parts = [
      event,
      ...(output && output.p99 > 0 ? [`answers ${output.p50} to ${output.p99} bytes`] : []),
      ...(faults > 0 ? [plural(faults, "fault")] : []),
      ...(cost.forecast ? [predicted(cost.forecast)] : []),
    ];
    await terminal.line(`${table.below(0, { text: parts.join("; "), style: "dim" })}`);
  }
}

function predicted({ limit, inputBytes, field, basis }: NonNullable<HookCost["forecast"]>): string {
  const about = basis === "reached" ? "reached" : "would be reached";
  return `\`${limit}\` ${about} at ${bytes(inputBytes)} of input (\`${field}\`)`;
}

function bytes(count: number): string {
  if (count < 1_024) return `${count} bytes`;
  return count < 1_048_576 ? `${Math.round(count / 1_024)} KiB` : `${(count / 1_048_576).toFixed(1)} MiB`;
}

function short(spread: Percentiles | null, of: keyof Percentiles): string {
  if (spread === null) return "-";
  const value = spread[of];
  return value >= 10_000_000 ? `${Math.round(value / 1_000_000)}M` : String(Math.round(value));
}
