import { Argument, type Command } from "commander";
import { type LogReport, verifyLog } from "../../log/index.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../decision-table.ts";
import { safeJson } from "../sanitize-text.ts";
import { readBytesOf } from "../input-stream.ts";
import { addExample, addFormat, type FormatOption, required } from "../options.ts";
import { paragraph } from "../table.ts";
import type { Terminal } from "../terminal.ts";

interface LogCommandOptions extends FormatOption {
  readonly expect?: string;
  readonly gathered?: true;
}

/** Exit status where the log does not hold. */
const broken = 1;

export function define(command: Command, cli: Cli): void {
  command
    .addArgument(new Argument("<action>", "what to do").choices(["verify"]))
    // Optional for the parser only, so that a missing action is reported first.
    .addArgument(new Argument("[file]", "the log; `-` is standard input (required)"))
    .option("--expect <hash>", "a record with this hash must be there, such as a head noted down before")
    .option("--gathered", "the file holds several logs, one behind the other")
    .action((_: string, file: string | undefined, options: LogCommandOptions) =>
      run(required(file, "<file>"), options, cli),
    );
  addExample(
    addFormat(command),
    "log verify decisions.jsonl",
    "log verify decisions.jsonl --expect sha256:1f0c…",
  );
}

async function run(file: string, options: LogCommandOptions, cli: Cli): Promise<void> {
  const { terminal } = cli;
  const { expect, gathered = false } = options;
  terminal.progress("checking the log");
  const report = await verifyLog(readBytesOf(file), {
    restarts: gathered,
    ...(expect === undefined ? {} : { expect }),
  });
  if (options.format === "json") await terminal.line(safeJson(report, 2));
  else await print(report, terminal);
  if (report.problem) cli.exitCode = broken;
}

async function print(report: LogReport, terminal: Terminal): Promise<void> {
  const { problem, records, decisions, tenants, closed, head, interruptions } = report;
  for (const { record, tornBytes, tornFile } of interruptions) {
    const torn =
      tornFile === null
        ? ""
        : `; ${plural(tornBytes, "byte")} of half a record ${tornBytes === 1 ? "is" : "are"} in ${tornFile}`;
    await terminal.line(
      paragraph(
        terminal,
        0,
        `a run ended before record ${record} without closing the log: what it had not flushed is missing${torn}`,
      ),
    );
  }
  const good = `${plural(records, "record")}, ${plural(decisions, "decision")} of ${plural(tenants, "tenant")}`;
  if (problem) {
    await terminal.line(
      paragraph(terminal, 0, { text: `${problem.kind}: ${problem.message}`, style: "red" }),
    );
    if (problem.kind !== "not-a-log") await terminal.line(paragraph(terminal, 0, `before it: ${good}`));
    return;
  }
  if (records === 0) return terminal.line("the file is empty: nothing was logged, or everything was removed");
  const end = closed
    ? "closed in order"
    : "not closed: it is still written, or what was not flushed is missing";
  await terminal.line(paragraph(terminal, 0, { text: `${good}; ${end}`, style: "green" }));
  if (head !== null) await terminal.line(paragraph(terminal, 0, `head ${head}`));
}
