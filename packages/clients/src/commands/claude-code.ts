import { realpath } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import { type Command, Option } from "commander";
import {
  changedLines,
  type ChangedLine,
  hookArguments,
  hookedEvents,
  hookEntry,
  OptionError,
  optionRows,
  programs,
  readHookArguments,
  readSettingsFile,
  type Scope,
  settingsPath,
  withHook,
  withoutHook,
  writeSettingsFile,
} from "../index.ts";
import { HookwardenError, type ErrorPlace } from "hookwarden/errors";
import { loadPack } from "hookwarden/pack";
import { type Cli, safeJson, addExample, addFormat, type FormatOption, type Terminal } from "hookwarden/cli";

interface SettingsOptions extends FormatOption {
  readonly scope: Scope;
  readonly settings?: string;
  readonly yes?: true;
  readonly dryRun?: true;
  readonly [option: string]: unknown;
}

/**
 * The command with its options, for the help and for `install`; a call of the hook itself never comes here, because it
 * has to be quick and must not fail as commands do (`main.ts`).
 */
export function define(command: Command, cli: Cli): void {
  // `install` has the same options; behind its name they are its own.
  for (const one of [command.parent, command]) one?.enablePositionalOptions();
  addHookOptions(command.argument("[pack]", "folder of the pack")).action(() => {
    throw new HookwardenError("usage", "the folder of the pack is missing");
  });
  addExample(
    command,
    "claude-code install ./policies",
    "claude-code uninstall",
    "claude-code ./policies < event.json",
  );
  const install = addHookOptions(
    command
      .command("install")
      .description("Name the hook in a settings file of Claude Code.")
      .argument("<pack>", "folder of the pack"),
  );
  addSettings(install).action((pack: string, options: SettingsOptions) => runInstall(pack, options, cli));
  addExample(install, "claude-code install ./policies --scope project --yes");
  const uninstall = command
    .command("uninstall")
    .description("Take the hook out of a settings file of Claude Code.");
  addSettings(uninstall).action((options: SettingsOptions) => runUninstall(options, cli));
  addExample(uninstall, "claude-code uninstall --scope project");
}

function addHookOptions(command: Command): Command {
  for (const { flag, kind, choices, help } of optionRows) {
    const value = kind === "off" ? "" : kind === "path" ? " <path>" : kind === "count" ? " <n>" : " <name>";
    const option = new Option(`--${flag}${value}`, help);
    command.addOption(choices ? option.choices([...choices]) : option);
  }
  return command;
}

function addSettings(command: Command): Command {
  return addFormat(command)
    .addOption(
      new Option("--scope <scope>", "whose settings: the person's, the project's, or both of one")
        .choices(["user", "project", "local"])
        .default("user"),
    )
    .option("--settings <file>", "the settings file, instead of `--scope`")
    .option("--yes", "write without asking")
    .option("--dry-run", "show the change, and write nothing");
}

async function runInstall(pack: string, options: SettingsOptions, cli: Cli): Promise<void> {
  cli.terminal.progress("loading the pack");
  // A hook that refuses everything because of a misprint is useless.
  await loadPack(pack);
  const hook = readOptions(await realpath(pack), options);
  const entry = hookEntry(hook, process.execPath, programs().client);
  await change((text) => withHook(text, hookedEvents, entry), options, cli);
}

async function runUninstall(options: SettingsOptions, cli: Cli): Promise<void> {
  await change((text) => withoutHook(text), options, cli);
}

/** The options of the hook, by way of its own arguments, so that what is written is what will be read. */
function readOptions(pack: string, options: SettingsOptions) {
  const args = [pack];
  for (const { flag, kind } of optionRows) {
    const value = kind === "off" ? options[flag.replace(/^no-/, "")] : options[flag];
    if (kind === "off" ? value === false : value !== undefined) {
      args.push(`--${flag}`, ...(kind === "off" ? [] : [String(value)]));
    }
  }
  try {
    const hook = readHookArguments(args, process.cwd());
    // Once more, as Claude Code will: from another folder.
    return readHookArguments(hookArguments(hook), "/");
  } catch (error) {
    if (error instanceof OptionError) throw new HookwardenError("usage", error.message);
    throw error;
  }
}

async function change(
  make: (text: string) => string,
  options: SettingsOptions,
  { terminal }: Cli,
): Promise<void> {
  const file = await readSettingsFile(options.settings ?? settingsPath(options.scope, process.cwd()));
  const { path } = file;
  const after = inFile(path, () => make(file.text));
  const changed = after !== file.text;
  const writes = changed && !options.dryRun;
  if (options.format === "pretty") {
    if (!changed) return terminal.line(`${path}: nothing to change`);
    await show(terminal, path, changedLines(file.text, after));
  }
  if (writes && !options.yes && !(await confirmed(terminal))) {
    if (options.format === "pretty") await terminal.line("Nothing was written.");
    return;
  }
  if (writes) await writeSettingsFile(file, after);
  if (options.format === "json") {
    await terminal.line(
      safeJson({ file: path, changed, written: writes, lines: changedLines(file.text, after) }),
    );
  } else if (writes) await terminal.line(`${path}: written`);
}

async function show(terminal: Terminal, path: string, lines: readonly ChangedLine[]): Promise<void> {
  await terminal.line(terminal.style("bold", path));
  for (const { kind, text } of lines) {
    if (kind === "gap") await terminal.line(terminal.style("dim", "  …"));
    else if (kind === "same") await terminal.line(terminal.style("dim", `  ${text}`));
    else if (kind === "gone") await terminal.line(terminal.style("red", `- ${text}`));
    else await terminal.line(terminal.style("green", `+ ${text}`));
  }
}

async function confirmed(terminal: Terminal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw new HookwardenError(
      "usage",
      "there is no terminal to confirm the change; use `--yes` or `--dry-run`",
    );
  }
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await reader.question("Write this? [y/N] ", { signal: terminal.signal });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}

function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    const place: ErrorPlace = { ...error.place, file };
    throw new HookwardenError(error.code, error.message, place);
  }
}
