import type { Command } from "commander";
import type { Cli } from "./cli.ts";

/** What a command's module has: it gives the command its arguments, options, help and work. */
export interface CommandModule {
  define(command: Command, cli: Cli): void;
}
