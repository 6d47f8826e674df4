import { type Command, InvalidArgumentError, Option } from "commander";
import { type HookReport, type TestEngine, testPack, type TestReport } from "../test-pack.ts";
import { HookwardenError } from "hookwarden/errors";
import { FolderWatch } from "hookwarden/warden";
import { type Cli, safeJson, addExample, reportError } from "hookwarden/cli";
import { TestPrinter } from "./test-printer.ts";

type TestFormat = "pretty" | "json" | "junit" | "tap";

interface TestCommandOptions {
  readonly engine?: TestEngine;
  readonly format: TestFormat;
  readonly filter?: string;
  readonly watch?: true;
  readonly coverage?: true;
  readonly coverageDir?: string;
  readonly threshold?: number;
}

/** Exit status where a case failed, or too little of the scripts ran. */
const failed = 1;

export function define(command: Command, cli: Cli): void {
  command
    .argument("<pack>", "folder of the pack")
    .addOption(
      new Option(
        "--engine <engine>",
        "engines that every case runs on (default: all that are installed)",
      ).choices(["quickjs", "isolate", "both"]),
    )
    .option("--filter <text>", "only cases with this text in `hook: name`")
    .addOption(
      new Option("--format <format>", "for people, or for programs")
        .choices(["pretty", "json", "junit", "tap"])
        .default("pretty"),
    )
    .option("--watch", "run again when a file of the pack changes, until Ctrl+C")
    .option("--coverage", "report which lines, branches and functions of the scripts ran")
    .option("--coverage-dir <folder>", "write `lcov.info` and `coverage-final.json` there too")
    .option("--threshold <percent>", "fail where fewer of the lines ran, in percent", percent)
    .action((pack: string, options: TestCommandOptions) => test(pack, options, cli));
  addExample(command, "test ./policies", "test ./policies --coverage --threshold 95 --format junit");
}

async function test(pack: string, options: TestCommandOptions, cli: Cli): Promise<void> {
  const counted = options.coverageDir !== undefined || options.threshold !== undefined;
  if (counted && !options.coverage) {
    throw new HookwardenError("usage", "`--coverage-dir` and `--threshold` need `--coverage`");
  }
  if (!options.watch) {
    if (!(await once(pack, options, cli))) cli.exitCode = failed;
    return;
  }
  if (options.format !== "pretty") {
    throw new HookwardenError("usage", "`--watch` is for people: it has the format `pretty` only");
  }
  await watch(pack, options, cli);
}

/** Whether all is well. */
async function once(pack: string, options: TestCommandOptions, cli: Cli): Promise<boolean> {
  const { terminal } = cli;
  const { engine, filter, format, coverage = false } = options;
  const printer = format === "pretty" ? new TestPrinter(terminal) : null;
  const report = await testPack(pack, {
    coverage,
    signal: terminal.signal,
    ...(engine === undefined ? {} : { engine }),
    ...(filter === undefined ? {} : { filter }),
    progress: (result, done, total) => terminal.progress(`${done} of ${total} cases: ${result.hook}`),
    hookDone: async (hook: HookReport) => {
      if (!hook.untested) return printer?.hook(hook);
      if (printer) await printer.untested(hook);
      else terminal.note(`the hook ${hook.hook} has no cases`);
    },
  });
  terminal.clearProgress();
  for (const name of report.missing) terminal.note(`not tested on ${name}, which is not installed`);
  if (printer) await printer.end(report);
  else await terminal.line(await written(report, format));
  if (report.coverage && options.coverageDir !== undefined) {
    const { writeCoverage } = await import("../cover/index.ts");
    writeCoverage(report.coverage, options.coverageDir);
  }
  return report.failed === 0 && (await enough(report, options, cli));
}

async function written(report: TestReport, format: TestFormat): Promise<string> {
  if (format === "junit") return (await import("../report/junit.ts")).junitReport(report);
  if (format === "tap") return (await import("../report/tap.ts")).tapReport(report);
  return safeJson((await import("../report/json.ts")).jsonReport(report), 2);
}

async function enough(
  { coverage }: TestReport,
  { threshold }: TestCommandOptions,
  cli: Cli,
): Promise<boolean> {
  if (!coverage || threshold === undefined || coverage.totals.lines >= threshold) return true;
  cli.terminal.note(`${coverage.totals.lines} % of the lines ran, which is less than ${threshold} %`);
  return false;
}

/** Runs the cases now, and again whenever the pack is still after a change, until somebody ends it. */
async function watch(pack: string, options: TestCommandOptions, cli: Cli): Promise<void> {
  const { terminal } = cli;
  let changed = (): void => undefined;
  let dirty = false;
  const folder = new FolderWatch(pack, () => {
    dirty = true;
    changed();
  });
  // Nothing else keeps the process alive between two runs.
  const alive = setInterval(() => undefined, 60_000);
  try {
    while (!terminal.signal.aborted) {
      dirty = false;
      try {
        await once(pack, options, cli);
      } catch (error) {
        reportError(terminal, error, false);
      }
      if (!terminal.signal.aborted) await terminal.line("\nWaiting for a change …");
      await new Promise<void>((done) => {
        changed = done;
        terminal.signal.addEventListener("abort", () => done(), { once: true });
        if (dirty || terminal.signal.aborted) done();
      });
    }
  } finally {
    clearInterval(alive);
    folder.close();
  }
}

function percent(value: string): number {
  const number = Number(value);
  if (/^\d+(\.\d+)?$/.test(value) && number <= 100) return number;
  throw new InvalidArgumentError("It must be a number from 0 to 100.");
}
