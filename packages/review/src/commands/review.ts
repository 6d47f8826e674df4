import { readFile } from "node:fs/promises";
import { type Command, Option } from "commander";
import { HookwardenError, placeText } from "hookwarden/errors";
import { readTrust, signReview } from "hookwarden/bundle";
import { isDateTime } from "hookwarden/catalogue";
import type { LoadedPack } from "hookwarden/pack";
import {
  type Input,
  readSubject,
  recordedInput,
  review,
  reviewHtml,
  reviewRecord,
  reviewSarif,
  readAccepted,
  type ReviewReport,
} from "../index.ts";
import { createSandbox } from "hookwarden/warden";
import {
  type Cli,
  plural,
  placed,
  readEvents,
  safeJson,
  readJsonFile,
  addExample,
  addFormat,
  type FormatOption,
  writeOut,
  reportError,
  paragraph,
  type Style,
  type Terminal,
} from "hookwarden/cli";

interface Options extends FormatOption {
  readonly events?: readonly string[];
  readonly html?: string;
  readonly json?: string;
  readonly sarif?: string;
  readonly against?: string;
  readonly trust?: string;
  readonly isolation: "process" | "inline";
  readonly accept?: string;
  readonly pristine: boolean;
  readonly realm?: "frozen" | "fresh";
  readonly maxSeconds?: number;
  readonly decision?: "approve" | "refuse";
  readonly reviewer?: string;
  readonly key?: string;
  readonly record?: string;
  readonly expires?: string;
}

/** Exit statuses by what the findings suggest. */
const statuses = { approve: 0, look: 1, refuse: 2 } as const;
/** Exit status where an event could not be read. */
const badInput = 65;
const styles: { readonly [severity: string]: Style } = {
  high: "red",
  medium: "yellow",
  low: "dim",
  info: "dim",
};

export function define(command: Command, cli: Cli): void {
  command
    .argument("<subject>", "folder of a hook or a pack, or a bundle (.tgz)")
    .option("--events <files...>", "recorded events as JSON Lines or JSON; `-` is standard input")
    .option("--html <file>", "write the report as one HTML file")
    .option("--json <file>", "write the whole report as JSON")
    .option("--sarif <file>", "write the findings as SARIF 2.1.0, for code scanning")
    .option("--against <old>", "folder or bundle of the version reviewed before")
    .option("--trust <file>", "keys trusted to sign the bundle")
    .addOption(
      new Option("--isolation <where>", "where hooks run: child processes, or this one")
        .choices(["process", "inline"])
        .default("process"),
    )
    .option("--no-pristine", "the host keeps contexts between calls: list it as a power")
    .addOption(
      new Option("--realm <realm>", "realm of the host's isolate engine, listed as a power").choices([
        "frozen",
        "fresh",
      ]),
    )
    .option("--accept <file>", "findings that were read and accepted, each with a reason and an expiry")
    .option("--max-seconds <seconds>", "stop after this time; the report says so. Default: 600", Number)
    .addOption(
      new Option("--decision <word>", "your decision, for the signed record").choices(["approve", "refuse"]),
    )
    .option("--reviewer <name>", "who decides")
    .option("--key <file>", "private key of the reviewer, as keygen makes them")
    .option("--record <file>", "file for the signed record")
    .option("--expires <time>", "when an approval expires; default: in 365 days")
    .action((subject: string, options: Options) => run(subject, options, cli));
  addExample(
    addFormat(command),
    "review ./policies --events session.jsonl --html review.html",
    "review new.tgz --events a.jsonl --against ./old --json r.json",
  );
}

async function run(path: string, options: Options, cli: Cli): Promise<void> {
  const { terminal } = cli;
  checkDecision(options);
  const trust = options.trust === undefined ? null : await readTrust(options.trust);
  terminal.progress("reading the subject");
  const subject = await readSubject(path, trust);
  const against = options.against === undefined ? undefined : (await readSubject(options.against, null)).pack;
  const { events, bad } = await readAll(options, cli);
  await using inline =
    options.isolation === "inline" ? await createSandbox({ isolation: "inline" }, () => undefined) : null;
  const report = await review({
    subject,
    events,
    ...(against === undefined ? {} : { against: against satisfies LoadedPack }),
    ...(inline ? { sandbox: inline } : {}),
    ...(options.accept === undefined
      ? {}
      : { accepted: readAccepted(await readFile(options.accept), options.accept) }),
    ...(options.maxSeconds === undefined ? {} : { maxSeconds: options.maxSeconds }),
    host: {
      pristine: options.pristine,
      ...(options.realm === undefined ? {} : { realm: options.realm }),
    },
    signal: terminal.signal,
    progress: (text) => terminal.progress(text),
  });
  terminal.clearProgress();
  // A partial review would suggest that the rest is fine.
  if (terminal.signal.aborted) return;
  if (options.json !== undefined) await writeOut(options.json, `${safeJson(report, 2)}\n`);
  if (options.sarif !== undefined)
    await writeOut(options.sarif, `${JSON.stringify(reviewSarif(report), null, 2)}\n`);
  if (options.html !== undefined) await writeOut(options.html, reviewHtml(report));
  if (options.format === "json") await terminal.line(safeJson(report, 2));
  else await print(report, terminal);
  if (options.decision !== undefined) await writeRecord(report, options);
  cli.exitCode = bad > 0 ? badInput : statuses[report.sheet.suggestion];
}

function checkDecision({ decision, reviewer, key, record, expires }: Options): void {
  const given = [decision, reviewer, key, record].filter((one) => one !== undefined).length;
  if (given !== 0 && given !== 4)
    throw new HookwardenError("usage", "`--decision`, `--reviewer`, `--key` and `--record` belong together");
  if (expires === undefined) return;
  if (given === 0) throw new HookwardenError("usage", "`--expires` needs `--decision`");
  if (!isDateTime(expires))
    throw new HookwardenError("usage", "`--expires` must be a time such as `2027-01-31T12:00:00Z`");
}

async function writeRecord(report: ReviewReport, options: Options): Promise<void> {
  const { decision, reviewer, key, record } = options as Required<Options>;
  const { expires } = options;
  const said = { decision, reviewer, ...(expires === undefined ? {} : { expires }) };
  const signed = await signReview(reviewRecord(report, said), await readJsonFile(key));
  await writeOut(record, `${JSON.stringify(signed, null, 2)}\n`);
}

async function readAll(
  { events: files = [], format }: Options,
  { terminal }: Cli,
): Promise<{ readonly events: readonly Input[]; readonly bad: number }> {
  const events: Input[] = [];
  let bad = 0;
  const report = (error: HookwardenError): void => {
    bad++;
    reportError(terminal, error, format === "json");
  };
  for (const file of files) {
    for await (const event of readEvents(file, terminal.signal)) {
      if ("error" in event) {
        report(event.error);
        continue;
      }
      try {
        events.push(recordedInput(event.input, placeText(event.place) || file));
      } catch (error) {
        if (!(error instanceof HookwardenError)) throw error;
        report(placed(error, event.place));
      }
    }
  }
  return { events, bad };
}

async function print(
  { findings, hooks, sheet, corpus, notDone, since }: ReviewReport,
  terminal: Terminal,
): Promise<void> {
  for (const { code, severity, hook, message, evidence, place, accepted } of findings) {
    if (accepted !== null) continue;
    const at =
      place && (place.module === null ? `line ${place.line}` : `${place.module}:${place.moduleLine}`);
    await terminal.line(
      paragraph(terminal, 0, {
        text: `${severity} ${code}${hook === null ? "" : ` in ${hook}`}${at ? ` at ${at}` : ""}`,
        style: styles[severity] ?? "dim",
      }),
    );
    await terminal.line(paragraph(terminal, 2, message));
    if (severity === "high")
      for (const { label, text } of evidence.slice(0, 3))
        await terminal.line(
          paragraph(terminal, 4, { text: `${label}: ${text.text.slice(0, 300)}`, style: "dim" }),
        );
  }
  if (findings.length > 0) await terminal.line("");
  for (const { name, powers, reads, code } of hooks) {
    const top = powers.list
      .slice(0, 3)
      .map(({ sentence }) => sentence)
      .join("; ");
    const { own } = code.coverage;
    await terminal.line(paragraph(terminal, 0, { text: name, style: "bold" }));
    await terminal.line(
      paragraph(
        terminal,
        2,
        `${top || "requests no actions"}. Reads ${reads.smallest.join(", ") || "nothing"}. ${own.taken} of ${own.all} branches of its own code were executed.`,
      ),
    );
  }
  if (since)
    await terminal.line(
      paragraph(
        terminal,
        0,
        `Since the previous version: ${plural(since.loosenings, "loosening")}, ${since.groups.length === 1 ? "1 kind of difference" : `${since.groups.length} kinds of differences`}.`,
      ),
    );
  for (const one of notDone)
    await terminal.line(paragraph(terminal, 0, { text: `not done: ${one}`, style: "yellow" }));
  const { high, medium, low } = sheet.counts;
  const style: Style = high > 0 ? "red" : medium > 0 ? "yellow" : "green";
  await terminal.line(
    paragraph(terminal, 0, {
      text: `${plural(hooks.length, "hook")} reviewed over ${plural(corpus.recorded, "recorded event")} and ${corpus.calls} calls: ${high} high, ${medium} medium, ${low} low. Suggestion: ${sheet.suggestion}; ${sheet.why}.`,
      style,
    }),
  );
}
