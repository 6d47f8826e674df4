import { type FileHandle, open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { HookwardenError } from "hookwarden/errors";
import { makeFolder } from "hookwarden/files";
import type { AuditChain, AuditHead, AuditRecord } from "../storage.ts";

/** Records that were appended together, and where their chain stands with them. */
export interface AuditBatch {
  readonly chain: AuditChain;
  readonly records: readonly AuditRecord[];
  readonly head: AuditHead;
}

export interface AuditSpoolOptions {
  readonly folder: string;
  /** Most bytes that may lie here; beyond that appending fails. Default 1 GiB. */
  readonly maxBytes?: number;
  /** Size from which on a new file is begun, in bytes. Default 16 MiB. */
  readonly segmentBytes?: number;
}

interface Waiting {
  readonly line: Buffer;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

const segmentName = /^spool-(\d{1,15})\.jsonl$/;

/**
 * Batches that wait on this disk until NATS takes them: files of JSON Lines, appended to and synced, those that come
 * together in one go. What `add` has resolved for is there after a crash; a line that a crash has cut off never was.
 */
export class AuditSpool {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #segmentBytes: number;
  readonly #waiting: Waiting[] = [];
  readonly #segments: number[] = [];
  readonly #sizes = new Map<number, number>();
  #next = 1;
  #file: FileHandle | null = null;
  #writing: Promise<void> | null = null;
  #turn: Promise<void> = Promise.resolve();
  #used = 0;
  #damagedLines = 0;

  constructor(options: AuditSpoolOptions) {
    this.#folder = options.folder;
    this.#maxBytes = options.maxBytes ?? 1_073_741_824;
    this.#segmentBytes = options.segmentBytes ?? 16_777_216;
  }

  /** Bytes that wait. */
  get bytes(): number {
    return this.#used;
  }

  /** Lines that could not be read, and were passed over. */
  get damaged(): number {
    return this.#damagedLines;
  }

  /** Looks at what an earlier process has left. */
  async recover(onBatch: (batch: AuditBatch) => void): Promise<void> {
    makeFolder(this.#folder, 0o700);
    const names = await readdir(this.#folder);
    const numbers = names.flatMap((name) => segmentName.exec(name)?.[1] ?? []).map(Number);
    for (const number of numbers.sort((one, other) => one - other)) {
      this.#segments.push(number);
      this.#next = number + 1;
      const { batches, bytes } = await this.#read(number);
      this.#sizes.set(number, bytes);
      this.#used += bytes;
      for (const batch of batches) onBatch(batch);
    }
  }

  /** @throws {HookwardenError} `log-failed` where there is no room, or the disk fails. */
  async add(batch: AuditBatch): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(batch)}\n`);
    if (this.#used + line.length > this.#maxBytes)
      throw new HookwardenError("log-failed", "NATS is away, and the local spool of the audit is full");
    this.#used += line.length;
    await new Promise<void>((done, failed) => {
      this.#waiting.push({ line, done, failed });
      this.#writing ??= this.#write();
    });
  }

  /** The oldest file, whole, with what takes it away; `null` where nothing waits. New batches go to another file. */
  async oldest(): Promise<{ readonly batches: readonly AuditBatch[]; done(): Promise<void> } | null> {
    await this.#inTurn(() => this.#closeSegment());
    const [number] = this.#segments;
    if (number === undefined) return null;
    const { batches } = await this.#read(number);
    return {
      batches,
      done: async () => {
        await rm(this.#path(number), { force: true });
        this.#segments.splice(this.#segments.indexOf(number), 1);
        this.#used -= this.#sizes.get(number) ?? 0;
        this.#sizes.delete(number);
      },
    };
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#inTurn(() => this.#closeSegment());
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.splice(0);
      const bytes = Buffer.concat(taken.map(({ line }) => line));
      try {
        await this.#inTurn(() => this.#append(bytes));
        for (const { done } of taken) done();
      } catch (cause) {
        this.#used -= bytes.length;
        // What has been written of it is cut off by beginning another file; what a reader finds there is stored once.
        await this.#inTurn(() => this.#closeSegment()).catch(() => undefined);
        const error = new HookwardenError("log-failed", "the audit's spool cannot be written", {}, { cause });
        for (const { failed } of taken) failed(error);
      }
    }
    this.#writing = null;
  }

  /** What touches the file that is written to: one after another, so that none is closed under a write. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #append(bytes: Buffer): Promise<void> {
    const current = this.#segments.at(-1);
    if (this.#file && current !== undefined && (this.#sizes.get(current) ?? 0) > this.#segmentBytes)
      await this.#closeSegment();
    if (!this.#file) {
      makeFolder(this.#folder, 0o700);
      const number = this.#next++;
      this.#file = await open(this.#path(number), "wx", 0o600);
      this.#segments.push(number);
      this.#sizes.set(number, 0);
    }
    await this.#file.appendFile(bytes);
    await this.#file.datasync();
    const number = this.#segments.at(-1) as number;
    this.#sizes.set(number, (this.#sizes.get(number) ?? 0) + bytes.length);
  }

  async #closeSegment(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #read(number: number): Promise<{ readonly batches: AuditBatch[]; readonly bytes: number }> {
    const bytes = await readFile(this.#path(number));
    const lines = bytes.toString("utf8").split("\n");
    // Behind the last line end there is nothing, or what a crash has cut off.
    lines.pop();
    const batches: AuditBatch[] = [];
    for (const line of lines) {
      const batch = readBatch(line);
      if (batch) batches.push(batch);
      else this.#damagedLines++;
    }
    return { batches, bytes: bytes.length };
  }

  #path(number: number): string {
    return join(this.#folder, `spool-${String(number).padStart(15, "0")}.jsonl`);
  }
}

/** A batch from its JSON; `null` for what is none. */
export function readBatch(text: string): AuditBatch | null {
  try {
    const batch = JSON.parse(text) as Partial<AuditBatch> | null;
    const ok =
      typeof batch?.chain?.tenant === "string" &&
      typeof batch.chain.node === "string" &&
      Number.isSafeInteger(batch.head?.n) &&
      Array.isArray(batch.records) &&
      batch.records.every(({ n, line }) => Number.isSafeInteger(n) && typeof line === "string");
    return ok ? (batch as AuditBatch) : null;
  } catch {
    return null;
  }
}
