import { type Command, InvalidArgumentError, Option } from "commander";
import { names } from "hookwarden/cli";
import { flagOf, type SettingRow, settingTable, variableOf } from "./settings-table.ts";

/** Adds the flags of all settings to a command. Their defaults are applied later, after the environment and the file. */
export function addFlags(command: Command): Command {
  for (const [name, row] of Object.entries(settingTable)) {
    // `--containment` is a flag of every command that starts child processes.
    const flag = name === "containment" ? null : flagOf(name);
    if (flag !== null) command.addOption(optionOf(flag, row));
  }
  return command;
}

/** The settings that were given on the command line. */
export function flagsOf(command: Command): { readonly [name: string]: unknown } {
  const given = Object.keys(settingTable).filter((name) => command.getOptionValueSource(name) === "cli");
  return Object.fromEntries(given.map((name) => [name, command.getOptionValue(name) as unknown]));
}

function optionOf(flag: string, row: SettingRow): Option {
  const isShown = row.default !== undefined && row.kind !== "switch";
  const option = new Option(flag, `${row.means}${isShown ? ` (default: ${row.default})` : ""}`);
  if (row.choices) return option.choices([...row.choices]);
  if (row.kind === "list") return option.argParser(names);
  return row.kind === "integer" ? option.argParser(integer(row)) : option;
}

function integer({ min = 0, max = Number.MAX_SAFE_INTEGER }: SettingRow): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** The line of the help text that names the other sources of settings. */
export const sourcesHelp = `
Each setting can also be an environment variable (${variableOf("logLevel")}) or a
member of the configuration file ("logLevel"). A flag wins over a variable,
a variable over the file.`;
