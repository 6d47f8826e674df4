import { fileURLToPath } from "node:url";
import { useCompileCache } from "hookwarden/cli";
import { Decider } from "./decider.ts";
import { readHookArguments } from "../hook/hook-options.ts";
import { identityOf } from "../hook/identity.ts";
import { daemonFiles, runtimeFolder } from "../hook/runtime-folder.ts";
import { takeLock } from "./lock.ts";
import { serve } from "./serve.ts";

/** The daemon: decides events of one user, one pack and one set of options for as long as some come. */

/** How long this process may take to end once it serves no more, in milliseconds. */
const endMs = 5_000;

const options = readHookArguments(process.argv.slice(2), process.cwd());
if (options.cache) useCompileCache();
const identity = identityOf(options, fileURLToPath(import.meta.url));
const files = daemonFiles(runtimeFolder(), identity);

const lock = takeLock(files.lock);
if (lock) {
  const ending = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => ending.abort());
  await using decider = new Decider(options);
  const { idleSeconds, deadlineMs } = options;
  await serve({ files, identity, decider, idleSeconds, deadlineMs }, ending.signal);
  // What is still being decided has no client any more, and may never be.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), endMs).unref();
  lock.release();
}
// Where another one holds the lock, there is a daemon, and this one ends.
