import { execFile } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** How much memory of the machine one process holds. */
export interface ResidentMemory {
  /** Bytes at the last sample; 0 where nothing is known. */
  readonly bytes: number;
  /** When that was, by `performance.now()`. */
  readonly at: number;
  /** Reads it again; where that takes a while, the answer is there at a later sample. */
  sample(): void;
  close(): void;
}

const unknown: ResidentMemory = { bytes: 0, at: -Infinity, sample: () => {}, close: () => {} };

const buffer = Buffer.alloc(128);

/** Resident pages, the second number of /proc/PID/statm. */
function pages(file: number): number {
  return Number(buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, 0)).split(" ", 2)[1]);
}

let knownPageBytes = 0;

/** /proc counts in pages, whose size nothing tells: it is this process's memory in bytes over that in pages. */
function pageBytes(): number {
  if (knownPageBytes === 0) {
    const own = Number(readFileSync("/proc/self/statm", "latin1").split(" ", 2)[1]);
    knownPageBytes = 2 ** Math.round(Math.log2(process.memoryUsage.rss() / own));
  }
  return knownPageBytes;
}

/**
 * The process at the end of a chain of launchers that each wait for one child, such as those of a PID namespace. Asked
 * when the child is ready and has run nothing of a guest.
 */
function lastOfChain(pid: number): number {
  let last = pid;
  for (let next = onlyChild(last); next !== null; next = onlyChild(last)) last = next;
  return last;
}

function onlyChild(pid: number): number | null {
  const children = childrenOf(pid);
  return children.length === 1 ? children[0]! : null;
}

function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return list === "" ? [] : list.split(" ").map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // A kernel without CONFIG_PROC_CHILDREN.
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
}

function parentOf(pid: number): number | null {
  try {
    const [, afterName = ""] = readFileSync(`/proc/${pid}/stat`, "latin1").split(/.*\) /s);
    return Number(afterName.split(" ")[1]);
  } catch {
    return null;
  }
}

/** Linux: one read of a file that the kernel makes up, a few microseconds. */
class ProcMemory implements ResidentMemory {
  bytes = 0;
  at = -Infinity;
  /** Kept open: it stays bound to this process, even when its number is given to another one. */
  #file: number | null = null;
  #closed = false;
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
  }

  sample(): void {
    if (this.#closed) return;
    try {
      this.#file ??= openSync(`/proc/${lastOfChain(this.#pid)}/statm`, "r");
      this.bytes = pages(this.#file) * pageBytes();
      this.at = performance.now();
    } catch {
      // The process has ended, and its end is reported elsewhere.
    }
  }

  close(): void {
    this.#closed = true;
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

/** How often `ps` is asked at most, in milliseconds. */
const psMs = 100;

/** macOS: `ps`, which is a process of its own; its answer comes some milliseconds later. */
class PsMemory implements ResidentMemory {
  bytes = 0;
  at = -Infinity;
  #asked = -Infinity;
  #closed = false;
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
  }

  sample(): void {
    const now = performance.now();
    if (this.#closed || now - this.#asked < psMs) return;
    this.#asked = now;
    execFile("/bin/ps", ["-o", "rss=", "-p", String(this.#pid)], (error, stdout) => {
      if (error || this.#closed) return;
      this.bytes = Number(stdout) * 1_024;
      this.at = performance.now();
    });
  }

  close(): void {
    this.#closed = true;
  }
}

/** Linux and macOS. On Windows nothing is known, and the caps of the engine stand alone. */
export function residentMemoryOf(pid: number | undefined): ResidentMemory {
  if (pid === undefined) return unknown;
  try {
    if (process.platform === "linux") return new ProcMemory(pid);
    if (process.platform === "darwin") return new PsMemory(pid);
  } catch {
    // It has ended already.
  }
  return unknown;
}
