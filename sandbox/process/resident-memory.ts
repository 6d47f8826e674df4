import { closeSync, openSync, readSync } from "node:fs";

/** Size of a page of memory in bytes; /proc counts in pages. */
const pageBytes = process.arch === "arm64" && process.platform === "darwin" ? 16_384 : 4_096;

/** How much memory of the machine one process holds. */
export interface ResidentMemory {
  /** Bytes at the last sample; 0 where nothing is known. */
  readonly bytes: number;
  /** Reads it again. */
  sample(): void;
  close(): void;
}

const unknown: ResidentMemory = { bytes: 0, sample: () => {}, close: () => {} };

const buffer = Buffer.alloc(128);

/** Linux: one read of a file that the kernel makes up, a few microseconds. Elsewhere nothing is known. */
class LinuxResidentMemory implements ResidentMemory {
  bytes = 0;
  /** Kept open: it stays bound to this process, even when its number is given to another one. */
  #file: number | null;

  constructor(file: number) {
    this.#file = file;
  }

  sample(): void {
    if (this.#file === null) return;
    try {
      const length = readSync(this.#file, buffer, 0, buffer.length, 0);
      this.bytes = Number(buffer.latin1Slice(0, length).split(" ", 2)[1]) * pageBytes;
    } catch {
      // The process has ended, and its end is reported elsewhere.
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

export function openResidentMemory(pid: number | undefined): ResidentMemory {
  if (process.platform !== "linux" || pid === undefined) return unknown;
  try {
    return new LinuxResidentMemory(openSync(`/proc/${pid}/statm`, "r"));
  } catch {
    return unknown;
  }
}
