import { openSync, readdirSync, readFileSync } from "node:fs";

/** `O_CLOEXEC` of Linux, on every architecture that Node.js runs on. */
const closeOnExec = 0o2000000;

/**
 * Descriptors that a child would inherit. Node.js closes its own for its children; these were left open by
 * the process that started this one, or by a native addon. Linux only: other systems do not list them.
 */
function inheritable(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fdinfo")
    .map(Number)
    .filter((descriptor) => {
      if (descriptor < 3) return false;
      try {
        const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"));
        return flags !== null && (parseInt(flags[1]!, 8) & closeOnExec) === 0;
      } catch {
        // It was the one that listed the folder.
        return false;
      }
    });
}

let nowhere: number | undefined;

/** The `stdio` option of a child that inherits nothing: three pipes, and /dev/null in the place of all others. */
export function closedStdio(): ("pipe" | "ignore" | number)[] {
  const stdio: ("pipe" | "ignore" | number)[] = ["pipe", "pipe", "pipe"];
  for (const descriptor of inheritable()) {
    nowhere ??= openSync("/dev/null", "r");
    while (stdio.length <= descriptor) stdio.push("ignore");
    stdio[descriptor] = nowhere;
  }
  return stdio;
}
