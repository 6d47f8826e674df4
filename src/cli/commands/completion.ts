import { Argument, type Command } from "commander";
import { completionsOf } from "../completion/completions.ts";
import { completionScripts, type Shell, shells } from "../completion/scripts.ts";
import type { Cli } from "../cli.ts";
import { addExample } from "../options.ts";

export function define(command: Command, { terminal }: Cli): void {
  command
    .addArgument(new Argument("<shell>", "the shell that the script is for").choices(shells))
    .action(async (shell: Shell) => {
      const commands = completionsOf(command.parent ?? command);
      await terminal.line(completionScripts[shell](commands).trimEnd());
    });
  addExample(command, "completion bash > ~/.hookwarden-completion.bash");
}
