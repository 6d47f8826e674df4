import { readInput } from "../hook/hook-call.ts";
import { useCompileCache } from "hookwarden/cli";
import { Decider } from "./decider.ts";
import { readHookArguments } from "../hook/hook-options.ts";

/**
 * Decides one event for a client that has no daemon: the event on standard input, its outcome as JSON on standard
 * output. A process of its own, so that nothing which may happen here, a lack of memory included, ends the client.
 */

/** How long this process may take to end once it has answered, in milliseconds. */
const endMs = 5_000;

const options = readHookArguments(process.argv.slice(2), process.cwd());
if (options.cache) useCompileCache();
const event = await readInput(process.stdin);
const decider = new Decider(options);
const outcome = await decider.decide(event);
process.stdout.on("error", () => undefined);
process.stdout.write(JSON.stringify(outcome));
process.stdout.end();
setTimeout(() => process.kill(process.pid, "SIGKILL"), endMs).unref();
await decider[Symbol.asyncDispose]();
