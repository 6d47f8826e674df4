import { HookwardenError } from "../errors/index.ts";
import { checkPack, isHookCall } from "./hook-call.ts";
import { installed } from "./installed.ts";

const args = process.argv.slice(2);
if (isHookCall(args)) {
  try {
    checkPack(args[1]);
    type HookCall = { readonly hookCall: (args: readonly string[]) => Promise<void> };
    const { hookCall } = await installed<HookCall>("@hookwarden/clients", "claude-code");
    await hookCall(args.slice(1));
  } catch (error) {
    // Claude Code runs the tool if its hook ends with any status but 0 and 2.
    console.error(
      error instanceof HookwardenError ? error.toLine() : String((error as Error).message ?? error),
    );
    process.exitCode = 2;
  }
} else {
  const { main } = await import("./program.ts");
  process.exitCode = await main(args);
}
