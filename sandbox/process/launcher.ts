import { execFile } from "node:child_process";

/** Part of util-linux; the one of Busybox does not know `--pdeathsig`. */
const setpriv = ["/usr/bin/setpriv", "--pdeathsig", "KILL", "--no-new-privs", "--"];

let probe: Promise<readonly string[]> | undefined;

/**
 * What to put before the child's command line, so that the kernel kills the child when its parent dies. An idle child
 * ends by itself at the end of its input; one that is busy, and cannot be interrupted, only by this. Linux with
 * util-linux 2.33 or newer; empty elsewhere.
 */
export function defaultLauncher(): Promise<readonly string[]> {
  if (process.platform !== "linux") return Promise.resolve([]);
  probe ??= new Promise((resolve) => {
    const [command, ...args] = setpriv as [string, ...string[]];
    execFile(command, [...args, "/bin/true"], { env: {}, timeout: 2_000 }, (error) =>
      resolve(error ? [] : setpriv),
    );
  });
  return probe;
}
