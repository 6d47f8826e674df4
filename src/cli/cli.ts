import type { Terminal } from "./terminal.ts";

/** What a command is given beside its own arguments, and where it leaves its exit status. */
export interface Cli {
  readonly terminal: Terminal;
  /** 0 unless the command says otherwise; errors have their own (`errorTable`). */
  exitCode: number;
}
