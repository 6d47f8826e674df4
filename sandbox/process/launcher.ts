import { execFile } from "node:child_process";

/** Part of util-linux; the one of Busybox does not know `--pdeathsig`. */
const setpriv = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--no-new-privs", "--"];
/** Part of util-linux too: whoever runs under this policy does not interrupt others when it is woken. */
const chrt = ["/usr/bin/chrt", "--batch", "0"];

const probes = new Map<boolean, Promise<readonly string[]>>();

/**
 * What to put before the child's command line. The kernel kills the child when its parent dies: an idle child ends by
 * itself at the end of its input; one that is busy, and cannot be interrupted, only by this. Linux with util-linux 2.33 or
 * newer; empty elsewhere.
 *
 * @param gather the parent hands many calls over at a time: the child then lets it do so before it begins with the first,
 *   where both are on one core.
 */
export function defaultLauncher(gather: boolean): Promise<readonly string[]> {
  if (process.platform !== "linux") return Promise.resolve([]);
  let probe = probes.get(gather);
  if (!probe)
    probes.set(gather, (probe = firstThatRuns(gather ? [[...chrt, ...setpriv], setpriv] : [setpriv])));
  return probe;
}

async function firstThatRuns(launchers: readonly (readonly string[])[]): Promise<readonly string[]> {
  for (const launcher of launchers) if (await runs(launcher)) return launcher;
  return [];
}

function runs([command, ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command as string, [...args, "/bin/true"], { env: {}, timeout: 2_000 }, (error) =>
      resolve(!error),
    );
  });
}
