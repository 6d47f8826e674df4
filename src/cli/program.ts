import { Command, CommanderError, Option } from "commander";
import type { ContainmentMode } from "@hookwarden/sandbox";
import { quote } from "@hookwarden/sandbox/json";
import { didYouMean, errorTable, HookwardenError } from "../errors/index.ts";
import type { Cli } from "./cli.ts";
import { commandTable } from "./commands.ts";
import { reportError } from "./report-error.ts";
import { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

/** Widest help text, in columns. */
const helpWidth = 80;

/**
 * Runs the command line.
 *
 * @param args what stands behind `hookwarden`.
 * @returns the exit status: 0, what the command says, or that of the error (`errorTable`).
 */
export async function main(args: readonly string[]): Promise<number> {
  const cli: Cli = { terminal: new Terminal(), exitCode: 0 };
  const { terminal } = cli;
  try {
    const program = await buildProgram(args, cli);
    if (args.length === 0) {
      terminal.note(program.helpInformation().trimEnd());
      return errorTable.usage.exit;
    }
    await program.parseAsync(args, { from: "user" });
    terminal.check();
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    if (terminal.exitCode === null) return reportError(terminal, asUsageError(error, args), wantsJson(args));
  } finally {
    terminal.clearProgress();
  }
  return terminal.exitCode ?? cli.exitCode;
}

async function buildProgram(args: readonly string[], cli: Cli): Promise<Command> {
  const program = new Command("hookwarden")
    .description("Run hooks you did not write: third-party hook scripts for AI agents, in sandboxes.")
    .version(version(), "-V, --version")
    .exitOverride()
    .configureOutput({
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .configureHelp({ showGlobalOptions: false })
    .addHelpText("after", "\nExample:\n  $ hookwarden run ./policies --events session.jsonl");
  const called = calledCommand(args);
  const all = commandTable.some(({ name, needsAll }) => needsAll && name === called);
  for (const row of commandTable) {
    const command = program
      .command(row.name)
      .summary(row.summary)
      .description(`${capital(row.summary)}.`);
    if (row.name !== called && !all) continue;
    const module = await row.load().catch((error: unknown) => {
      // Of a command whose package is not installed, only the name can be completed.
      if (row.name !== called && error instanceof HookwardenError && error.code === "package-missing")
        return null;
      throw error;
    });
    module?.define(command, cli);
    if (module && row.contains) addChildOptions(command);
  }
  return program;
}

/** For all commands that start child processes: how these are contained, and whether compiled packs are kept. */
function addChildOptions(command: Command): void {
  command
    .addOption(
      new Option(
        "--containment <mode>",
        "operating system containment of child processes (default: auto)",
      ).choices(["auto", "required", "none"] satisfies readonly ContainmentMode[]),
    )
    .option("--no-cache", "compile packs anew, and keep nothing")
    .hook("preAction", async (_, action) => {
      const { containment, cache } = action.opts<{ containment?: ContainmentMode; cache: boolean }>();
      if (cache) (await import("./compile-cache/index.ts")).useCompileCache();
      if (containment === undefined) return;
      const { setDefaultContainment } = await import("@hookwarden/sandbox");
      setDefaultContainment(containment);
    });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function calledCommand(args: readonly string[]): string | undefined {
  return args[0] === "help" ? args[1] : args.find((argument) => !argument.startsWith("-"));
}

/** What the argument parser says, in the form of all other errors, with the help of the command that was called. */
function asUsageError(error: unknown, args: readonly string[]): unknown {
  const isOurs = error instanceof HookwardenError && error.code === "usage";
  if (!isOurs && !(error instanceof CommanderError)) return error;
  const called = calledCommand(args);
  const command = commandTable.some(({ name }) => name === called) ? ` ${called}` : "";
  const help = `See \`hookwarden${command} --help\`.`;
  if (isOurs) {
    if (error.fix !== errorTable.usage.fix) return error;
    return new HookwardenError("usage", error.message, error.place, { cause: error, fix: help });
  }
  return new HookwardenError("usage", usageMessage(error.message), {}, { fix: help });
}

function usageMessage(text: string): string {
  const choices = /is invalid(?: for argument '\w+')?\. Allowed choices are (.+)\.$/s
    .exec(text)?.[1]
    ?.split(", ");
  if (choices) {
    const [, option, value = ""] =
      /^error: (?:option '(\S+)[^']*' argument|command-argument value) '(.*)' is invalid/s.exec(text) ?? [];
    const near = didYouMean(value, choices);
    const possible = choices.map((name) => `\`${name}\``).join(", ");
    const where = option === undefined ? "here" : `of \`${option}\``;
    return `${quote(value)} is not a valid value ${where}${near === "" ? `; possible: ${possible}` : near}`;
  }
  return text
    .replace(/^error: /, "")
    .replace(
      /^option '(\S+)[^']*' argument '(.*)' is invalid\. (.*)$/s,
      (_, option: string, value: string, why: string) =>
        `${quote(value)} is not a valid value of \`${option}\`: ${why.charAt(0).toLowerCase()}${why.slice(1)}`,
    )
    .replace(/\n\(Did you mean (.+?)\?\)$/s, "; did you mean `$1`?")
    .replaceAll("'", "`")
    .replace(/\.$/, "");
}

/** Looked up by hand: an error may come before the options are parsed, or be about them. */
function wantsJson(args: readonly string[]): boolean {
  const at = args.lastIndexOf("--format");
  return (at >= 0 && args[at + 1] === "json") || args.includes("--format=json");
}
