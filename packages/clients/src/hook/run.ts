import { writeSync } from "node:fs";
import { type ClientName, clientNames } from "../clients/index.ts";
import { hookDefaults, readHookArguments } from "./hook-options.ts";
import type { Outcome } from "./wire.ts";
import { answerCall, failed, HookFailure, named, readInput } from "./hook-call.ts";
import type { Programs } from "./program-paths.ts";

/**
 * Runs one hook call of a client: an event on standard input, an answer on standard output. Ends the process.
 *
 * Clients let a tool run if its hook exits with any status but 0 and 2, so that everything which can end this process
 * early ends it with an answer that refuses, or with 2.
 *
 * @param all options of the hook, and `--event NAME` for a client whose messages lack the name.
 */
export async function runHookCall(all: readonly string[], programs: Programs): Promise<never> {
  const { args, client, event: name } = readCall(all);
  let event: Uint8Array | null = null;
  const fail = (error: unknown): never => finish(failed(client, event, error));
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => fail(new HookFailure(`the hook was ended by ${signal}`)));
  }
  const input = readInput(process.stdin).then((bytes) => {
    event = name === null ? bytes : named(bytes, name);
    return event;
  });
  input.catch(() => undefined);
  try {
    const options = readHookArguments(args, process.cwd());
    failAfter(options.deadlineMs, fail);
    return finish(await answerCall(options, programs, input));
  } catch (error) {
    failAfter(hookDefaults.deadlineMs, fail);
    // How a refusal is said depends on the event.
    await input.catch(() => undefined);
    return fail(error);
  }
}

/** What a call says of itself, as far as a refusal needs it: the rest may be wrong. */
function readCall(all: readonly string[]): {
  readonly args: readonly string[];
  readonly client: ClientName;
  readonly event: string | null;
} {
  const args = [...all];
  const at = args.indexOf("--event");
  const [, event = null] = at < 0 ? [] : args.splice(at, 2);
  const given = args[args.indexOf("--client") + 1];
  return { args, event, client: clientNames.find((one) => one === given) ?? hookDefaults.client };
}

function failAfter(ms: number, fail: (error: Error) => void): void {
  setTimeout(() => fail(new HookFailure(`no decision was made within ${ms} ms`)), ms);
}

/** Writes both texts whole, and ends at once: nothing that is still under way may change what was said. */
function finish({ exit, out, err }: Outcome): never {
  const written = write(1, `${out}\n`);
  if (err !== "") write(2, `${err}\n`);
  process.exit(written ? exit : 2);
}

/** @returns `false` if the reader is gone. */
function write(descriptor: 1 | 2, text: string): boolean {
  let rest = Buffer.from(text);
  for (let stuck = 0; rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
      stuck = 0;
    } catch (error) {
      // The reader of a pipe that does not block is slower than we are; it has about ten seconds.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || ++stuck > 1_000) return false;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  return true;
}
