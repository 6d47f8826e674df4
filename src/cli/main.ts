#!/usr/bin/env node
import { isHookCall } from "./hook-call.ts";

const args = process.argv.slice(2);
if (isHookCall(args)) {
  const { programs } = await import("../adapters/claude-code/client/programs.ts");
  const { runHookCall } = await import("../adapters/claude-code/client/run.ts");
  await runHookCall(args.slice(1), programs());
} else {
  const { main } = await import("./program.ts");
  process.exitCode = await main(args);
}
