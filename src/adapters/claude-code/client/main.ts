import { programs } from "./programs.ts";
import { runHookCall } from "./run.ts";

await runHookCall(process.argv.slice(2), programs());
