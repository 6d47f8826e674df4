import { execFile } from "node:child_process";

/** Part of util-linux: a process under this policy does not preempt others when it wakes up. */
const chrt = ["/usr/bin/chrt", "--batch", "0"];

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
