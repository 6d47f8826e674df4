import { readdirSync, readFileSync } from "node:fs";
import { parentPort, Worker, workerData } from "node:worker_threads";

/** Resident bytes of all descendants of a process at this moment. Linux. */
function descendants(pid: number): number {
  let bytes = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const list = text(`/proc/${pid}/task/${thread}/children`);
    for (const child of list.split(" ").filter(Boolean).map(Number)) {
      const kib = Number(/VmRSS:\s+(\d+)/.exec(text(`/proc/${child}/status`))?.[1] ?? 0);
      bytes += kib * 1_024;
      try {
        bytes += descendants(child);
      } catch {
        // It has ended.
      }
    }
  }
  return bytes;
}

function text(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/**
 * The most memory, in bytes, that the children of this process hold together while some work goes on. Measured every
 * 2 ms in another thread, so that it depends neither on this thread's event loop nor on the watch that is under test.
 */
export async function treePeak(work: () => Promise<unknown>): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { of: process.pid } });
  try {
    await new Promise((ready) => worker.once("message", ready));
    await work();
    const peak = new Promise<number>((done) => worker.once("message", done));
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker of Node has no origin
    worker.postMessage("end");
    return await peak;
  } finally {
    await worker.terminate();
  }
}

const watched = (workerData as { readonly of?: number } | null)?.of;
if (parentPort && watched !== undefined) {
  const port = parentPort;
  let peak = 0;
  setInterval(() => (peak = Math.max(peak, descendants(watched))), 2);
  port.on("message", () => port.postMessage(peak));
  port.postMessage("ready");
}
