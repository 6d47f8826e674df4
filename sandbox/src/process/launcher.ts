import { execFile } from "node:child_process";
import { limitCeilings } from "../limits.ts";
import { v8StackFor } from "../quickjs/stack.ts";

/** Part of util-linux: a process under this policy does not preempt others when it wakes up. */
const chrt = ["/usr/bin/chrt", "--batch", "0"];

/** The stack that children of the quickjs engine get, and what V8 leaves of it to itself and to the system, in KiB. */
const largeStackKb = v8StackFor(limitCeilings.stackKb);
const stackReserveKb = 3_072;
/** V8's stack where the system's limit stays as it is: main threads have 8 MiB, on Windows 1 MiB. */
const smallStackKb = process.platform === "win32" ? 800 : 3_900;

/** How to start a child with a stack of a given size. */
export interface StackLaunch {
  /** What to put before everything else of the command line: the limit passes to every program behind it. */
  readonly launcher: readonly string[];
  /** What V8 may use of it, in KiB. */
  readonly v8StackKb: number;
}

let stackProbe: Promise<StackLaunch> | undefined;

/**
 * Raises the limit of a child's stack, so that a guest's own limit always comes first. Where the system or a hard limit
 * does not allow it, the stack stays small, and the engine in the child lowers the guest's limit.
 */
export function largeStackLauncher(): Promise<StackLaunch> {
  stackProbe ??= probeLargeStack();
  return stackProbe;
}

async function probeLargeStack(): Promise<StackLaunch> {
  if (process.platform === "win32") return smallStack;
  const raise = `ulimit -S -s ${largeStackKb + stackReserveKb} && exec "$@"`;
  const launcher = ["/bin/sh", "-c", raise, "sh"];
  return (await runs(launcher)) ? { launcher, v8StackKb: largeStackKb } : smallStack;
}

/** A child whose guests do not run on its own stack. */
export const smallStack: StackLaunch = { launcher: [], v8StackKb: smallStackKb };

let probe: Promise<readonly string[]> | undefined;

/**
 * What to put first in a child's command line, for the scheduler. Empty where the system has nothing for it.
 *
 * @param gather the parent hands many calls over at a time: the child then lets it do so before it begins with the first,
 *   where both are on one core.
 */
export function schedulingLauncher(gather: boolean): Promise<readonly string[]> {
  if (!gather || process.platform !== "linux") return Promise.resolve([]);
  return (probe ??= runs(chrt).then((works) => (works ? chrt : [])));
}

function runs([command, ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command as string, [...args, "/bin/true"], { env: {}, timeout: 2_000 }, (error) =>
      resolve(!error),
    );
  });
}
