import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";

/**
 * Keeps every core from going to sleep, by a process on each that runs only while nothing else wants to (Linux's
 * SCHED_IDLE). What is measured then is the work, not how long the host of a virtual machine takes to wake a core.
 */
export function keepAwake(): { stop(): void } {
  if (process.platform !== "linux") return { stop: () => undefined };
  const spinners = Array.from({ length: availableParallelism() }, (_, core) =>
    spawn("chrt", ["-i", "0", "taskset", "-c", String(core), process.execPath, "-e", "for (;;);"], {
      stdio: "ignore",
    }).on("error", () => undefined),
  );
  const stop = (): void => {
    for (const spinner of spinners) spinner.kill("SIGKILL");
  };
  process.once("exit", stop);
  return { stop };
}
