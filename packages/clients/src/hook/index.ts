import { programs } from "./programs.ts";
import { runHookCall } from "./run.ts";

/** Answers one hook call of Claude Code, which `args` configure; ends the process. */
export function hookCall(args: readonly string[]): Promise<never> {
  return runHookCall(args, programs());
}
