import { execFile } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

/** How much memory of the machine a process holds, alone or with its descendants. */
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

/** /proc counts in pages of unknown size, computed as this process's memory in bytes divided by that in pages. */
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

/** Linux: a process and all its descendants, which are listed anew for each sample: a few hundred microseconds. */
class ProcTreeMemory implements ResidentMemory {
  bytes = 0;
  at = -Infinity;
  readonly #pid: number;

  constructor(pid: number) {
    this.#pid = pid;
  }

  sample(): void {
    let found = 0;
    for (const pid of processTree(this.#pid)) found += residentPages(pid);
    this.bytes = found * pageBytes();
    this.at = performance.now();
  }

  close(): void {}
}

function processTree(root: number): readonly number[] {
  const found = [root];
  for (const pid of found) found.push(...childrenOf(pid));
  return found;
}

/** Whether the kernel lists children: it was built with CONFIG_PROC_CHILDREN. */
const listsChildren = existsSync(`/proc/self/task/${process.pid}/children`);

/** A child belongs to the thread that started it. Threads and processes may end while they are listed. */
function childrenOf(pid: number): readonly number[] {
  if (!listsChildren) {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return pids.filter((other) => parentOf(other) === pid);
  }
  const threads = orNone(() => readdirSync(`/proc/${pid}/task`), []);
  return threads.flatMap((thread) => {
    const list = orNone(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1"), "");
    return list.split(" ").filter(Boolean).map(Number);
  });
}

function residentPages(pid: number): number {
  return orNone(() => Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ", 2)[1]), 0);
}

function orNone<T>(read: () => T, none: T): T {
  try {
    return read();
  } catch {
    return none;
  }
}

/** How often `ps` is asked at most, in milliseconds. */
const psMs = 100;

/** macOS: `ps`, which is a process of its own; its answer comes some milliseconds later. */
class PsMemory implements ResidentMemory {
  bytes = 0;
  at = -Infinity;
  #requested = -Infinity;
  #closed = false;
  readonly #args: readonly string[];
  readonly #kib: (output: string) => number;

  /** @param kib what the output of `ps` with these arguments comes to, in KiB. */
  constructor(args: readonly string[], kib: (output: string) => number) {
    this.#args = args;
    this.#kib = kib;
  }

  sample(): void {
    const now = performance.now();
    if (this.#closed || now - this.#requested < psMs) return;
    this.#requested = now;
    execFile("/bin/ps", this.#args, (error, stdout) => {
      if (error || this.#closed) return;
      this.bytes = this.#kib(stdout) * 1_024;
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
    if (process.platform === "darwin") return new PsMemory(["-o", "rss=", "-p", String(pid)], Number);
  } catch {
    // It has ended already.
  }
  return unknown;
}

/**
 * As `residentMemoryOf`, of a process and everything that it has started. Memory that processes share counts for each of
 * them.
 */
export function residentMemoryOfTree(pid: number | undefined): ResidentMemory {
  if (pid === undefined || process.platform === "win32") return unknown;
  // A kernel may have been built without these lists.
  if (existsSync(`/proc/self/task/${process.pid}/children`)) return new ProcTreeMemory(pid);
  const columns = ["pid=", "ppid=", "rss="].flatMap((column) => ["-o", column]);
  return new PsMemory(["-A", ...columns], (listing) => treeKib(listing, pid));
}

/** Resident KiB of a process and its descendants, from lines of `pid ppid rss`. */
export function treeKib(listing: string, root: number): number {
  const rows = listing.split("\n").map((line) => line.trim().split(/\s+/).map(Number));
  const tree = [root];
  for (const parent of tree) {
    for (const [pid, ppid] of rows) if (pid !== undefined && ppid === parent) tree.push(pid);
  }
  const counted = new Set(tree);
  return rows.reduce((sum, [pid, , rss]) => sum + (counted.has(pid ?? 0) ? (rss ?? 0) : 0), 0);
}
