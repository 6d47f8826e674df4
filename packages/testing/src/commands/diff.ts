import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { placeText, HookwardenError } from "hookwarden/errors";
import {
  acceptedFile,
  type DiffEvent,
  diffEvent,
  diffHtml,
  diffPacks,
  type PackDiff,
  readAccepted,
} from "../diff/index.ts";
import { folderSource } from "hookwarden/files";
import { loadPack, type LoadedPack } from "hookwarden/pack";
import { caseDefaults, casesFile, casesLimits, readCases } from "hookwarden/check";
import { createSandbox } from "hookwarden/warden";
import {
  type Cli,
  placed,
  readEvents,
  safeJson,
  readJsonFile,
  addEngine,
  addExample,
  type EngineOptions,
  reportError,
} from "hookwarden/cli";
import { diffText } from "./diff-text.ts";

interface Options extends EngineOptions {
  readonly events: readonly string[];
  readonly explore: number;
  readonly accept?: string;
  readonly writeAccept?: string;
  readonly format: "pretty" | "json" | "html";
  readonly out?: string;
}

/** Exit status where there is a loosening that was not accepted. */
const opened = 1;
/** Exit status where an event could not be read. */
const badInput = 65;
/** Most neighbours that can be asked for. */
const maxNeighbours = 1_000_000;

export function define(command: Command, cli: Cli): void {
  command
    .argument("<old>", "folder of the old version of the pack")
    .argument("<new>", "folder of the new version")
    .option("--events <files...>", "recorded events as JSON Lines or JSON; `-` is standard input (required)")
    .option("--explore <count>", "decide this many events near the recorded ones too", whole, 0)
    .option("--accept <file>", "loosenings that have been reviewed and accepted")
    .option("--write-accept <file>", "write a file that accepts all loosenings, to be reviewed")
    .addOption(
      new Option("--format <format>", "for people, for programs, or as one HTML file")
        .choices(["pretty", "json", "html"])
        .default("pretty"),
    )
    .option("--out <file>", "where the report goes; default: standard output")
    .action((old: string, next: string, options: Options) => run(old, next, options, cli));
  addExample(
    addEngine(command),
    "diff ./released ./policies --events session.jsonl",
    "diff ./old ./new --events a.jsonl --format html --out diff.html",
  );
}

function whole(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || count > maxNeighbours)
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${maxNeighbours}.`);
  return count;
}

async function run(oldFolder: string, newFolder: string, options: Options, cli: Cli): Promise<void> {
  const { terminal } = cli;
  if (options.events === undefined) throw new HookwardenError("usage", "the option `--events` is missing");
  const accepted =
    options.accept === undefined
      ? new Set<string>()
      : readAccepted(await readJsonFile(options.accept), options.accept);
  const packs = { old: await loadPack(oldFolder), new: await loadPack(newFolder) };
  const { events, bad } = await readAll(options, cli);
  const cases =
    options.explore > 0
      ? await casesOf(packs.old, packs.new, options.explore)
      : new Map<string, DiffEvent[]>();
  const { engine, isolation, explore } = options;
  await using sandbox = await createSandbox({ engine, isolation }, () => undefined);
  const diff = await diffPacks({
    packs,
    events,
    cases,
    explore,
    accepted,
    sandbox,
    signal: terminal.signal,
    progress: (done, total, what) => terminal.progress(`${done} of ${total} decisions, ${what}`),
  });
  terminal.clearProgress();
  // Half a comparison would say that the other half is well.
  if (terminal.signal.aborted) return;
  const text = render(diff, options, cli);
  if (options.out === undefined) await terminal.line(text.trimEnd());
  else await write(options.out, text);
  if (options.writeAccept !== undefined) {
    await write(options.writeAccept, `${JSON.stringify(acceptedFile(diff.loosenings), null, 2)}\n`);
  }
  if (bad > 0) cli.exitCode = badInput;
  else if (diff.newLoosenings > 0) cli.exitCode = opened;
}

function render(diff: PackDiff, { format }: Options, { terminal }: Cli): string {
  if (format === "html") return diffHtml(diff);
  return `${format === "json" ? safeJson(diff, 2) : diffText(diff, terminal)}\n`;
}

async function readAll(
  { events: files, format }: Options,
  { terminal }: Cli,
): Promise<{ events: readonly DiffEvent[]; bad: number }> {
  const events: DiffEvent[] = [];
  let bad = 0;
  const report = (error: HookwardenError): void => {
    bad++;
    reportError(terminal, error, format === "json");
  };
  for (const file of files) {
    for await (const found of readEvents(file, terminal.signal)) {
      if ("error" in found) {
        report(found.error);
        continue;
      }
      try {
        const place = placeText(found.place) || file;
        events.push(diffEvent(found.input, "recorded", place, `diff-${events.length}`));
      } catch (error) {
        if (!(error instanceof HookwardenError)) throw error;
        report(placed(error, found.place));
      }
    }
  }
  return { events, bad };
}

/** The events of the cases of both versions, at most so many of a hook. What the old version was tested with is what it must not lose. */
async function casesOf(
  old: LoadedPack,
  next: LoadedPack,
  most: number,
): Promise<ReadonlyMap<string, readonly DiffEvent[]>> {
  const all = new Map<string, Map<string, DiffEvent>>();
  for (const pack of [old, next]) {
    if (pack.root === undefined) continue;
    const source = await folderSource(pack.root);
    for (const { name, order } of pack.hooks) {
      const path = join(pack.manifest.hooks[order] ?? name, casesFile);
      if ((await source.kind(path)) !== "file") continue;
      const own = all.get(name) ?? new Map<string, DiffEvent>();
      all.set(name, own);
      for (const one of readCases(await source.read(path, casesLimits.maxBytes), path)) {
        for (const given of one.events) {
          const key = JSON.stringify(given);
          const id = `case-${name}-${own.size}`.slice(0, 128);
          const fields = { ...caseDefaults, ...given };
          if (!own.has(key) && own.size < most)
            own.set(key, diffEvent(fields, "case", `case “${one.name}” of ${name}`, id));
        }
      }
    }
  }
  return new Map([...all].map(([name, own]) => [name, [...own.values()]]));
}

async function write(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw new HookwardenError("file-unreadable", `the file cannot be written (${code})`, { file: path });
  }
}
