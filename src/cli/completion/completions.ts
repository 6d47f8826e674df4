import type { Command, Option } from "commander";

/** What a shell can complete: commands with their options and arguments. */
export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** Values of the first argument, where only these are possible. */
  readonly values: readonly string[];
}

export interface CompletedOption {
  /** With its dashes. */
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  /** Its possible values; empty where any is. */
  readonly values: readonly string[];
}

/** Reads the commands of a program. */
export function completionsOf(program: Command): readonly CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: [...command.options.flatMap(completed), helpOption],
    values: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

const helpOption: CompletedOption = {
  long: "--help",
  description: "display help for command",
  takesValue: false,
  values: [],
};

function completed({ long, description, required, optional, argChoices }: Option): CompletedOption[] {
  if (!long) return [];
  return [{ long, description, takesValue: required || optional, values: argChoices ?? [] }];
}
