import type { Fault } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { faults } from "../outcome.ts";
import { describeEnd } from "./child-pool.ts";
import type { End } from "./child-end.ts";
import type { Entry } from "./runner.ts";

/** Whether the end of a child counts against the program that it was running. */
export function isCrash(end: End): boolean {
  return end.cause !== "retired" && !(end.cause === "exit" && end.killedExternally);
}

/** Settles the job that a child was running when it ended. `durationMs`: how long it had run. */
export function failRunning(running: Entry, end: End, durationMs: number): void {
  const { job, kind, phase, runMs } = running;
  const us = durationMs * 1_000;
  if (end.cause === "deadline") {
    const loading = kind === "inspect" || phase === "new" || phase === "loading";
    const { code, message } = loading ? faults.loadWall(running) : lateFault(job.limits, runMs);
    const fault = { code, message: `${message}, and its process was killed` };
    if (loading) job.failLoading(fault, us);
    else job.failKilled(fault, us);
    return;
  }
  if (end.cause === "exit" && end.killedExternally) {
    // Not the program's doing.
    return job.fail("crashed", crashMessage(end), us);
  }
  job.failKilled(crashFault(end, job.limits), us);
}

function crashFault(end: End, { memoryKb }: Limits): Fault {
  if (end.cause === "memory") {
    const message = `its process grew beyond \`limits.memoryKb\` (${memoryKb} KiB), and was killed`;
    return { code: "memory-exceeded", message };
  }
  if (end.cause === "exit" && end.outOfMemory)
    return { code: "memory-exceeded", message: "its process ran out of memory" };
  return { code: "crashed", message: crashMessage(end) };
}

function crashMessage(end: End): string {
  return `its process ended in the middle of the call (${describeEnd(end)})`;
}

/** Names the limit that a running call exceeded: its own, or the time that its caller or its loading left it. */
function lateFault({ wallMs }: Limits, runMs: number): Fault {
  if (runMs < wallMs) return faults.budget(runMs);
  return { code: "timeout", message: `it took longer than \`limits.wallMs\` (${wallMs} ms)` };
}
