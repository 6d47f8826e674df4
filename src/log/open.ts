import { createHash, randomUUID } from "node:crypto";
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, read, readSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError, systemReason } from "../errors/index.ts";
import type { Recovery } from "./record-body.ts";
import { FileSink } from "./file-sink.ts";
import { FunctionSink, type Sink } from "./sink.ts";
import type { LogOptions } from "./options.ts";
import { readRecord } from "./read-record.ts";
import { newChain, readChain } from "./read-chain.ts";
import type { ChainState } from "./writer.ts";

const readAt = promisify(read);

/** A destination, and where its log goes on. */
export interface OpenedLog {
  readonly sink: Sink;
  readonly chain: ChainState;
  /** Name of the log; a UUID. */
  readonly log: string;
  /** How the log goes on that was there; `null` for a new one. */
  readonly recovery: Recovery | null;
}

/** @throws {HookwardenError} `log-broken`, `log-failed` */
export async function openDestination(to: LogOptions["to"]): Promise<OpenedLog> {
  const fresh = { chain: newChain(), log: randomUUID(), recovery: null };
  if (typeof to === "function") return { ...fresh, sink: new FunctionSink(to) };
  if (to === "-") return { ...fresh, sink: new FileSink(1, null) };
  const fd = openFile(to);
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return { ...fresh, sink: new FileSink(fd, 0) };
    const found = await readOn(fd, to);
    const torn = found.end < size ? setAside(fd, to, found, size) : null;
    return {
      sink: new FileSink(fd, found.end),
      chain: found.chain,
      log: found.log ?? fresh.log,
      recovery: { closed: found.closed && torn === null, torn },
    };
  } catch (error) {
    closeSync(fd);
    if (error instanceof HookwardenError) throw error;
    throw cannotOpen(to, error);
  }
}

function openFile(path: string): number {
  let fd: number;
  try {
    // Readable for its owner only: events may hold anything.
    fd = openSync(path, "a+", 0o600);
  } catch (error) {
    throw cannotOpen(path, error);
  }
  if (fstatSync(fd).isFile()) {
    syncFolder(path);
    return fd;
  }
  closeSync(fd);
  throw new HookwardenError(
    "log-failed",
    `${quote(path)} is not a regular file; use a path of one, or in the library a function`,
    {
      file: path,
    },
  );
}

/** A new file is only there after a crash if its folder was flushed too. Not every system can do that. */
function syncFolder(path: string): void {
  try {
    const folder = openSync(dirname(path), "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows refuses to open folders.
  }
}

interface Found {
  readonly chain: ChainState;
  readonly log: string | null;
  readonly closed: boolean;
  /** Where the last whole record ends, in bytes. */
  readonly end: number;
}

/** Reads a log to its end. Half a record may stand there; anything else that is wrong is refused. */
async function readOn(fd: number, path: string): Promise<Found> {
  const sequences = new Map<string, number>();
  let head = newChain().head;
  let log: string | null = null;
  let closed = false;
  let end = 0;
  for await (const { record, problem } of readChain(bytesOf(fd))) {
    if (problem) {
      const { message, line, followed } = problem;
      if (followed) throw new HookwardenError("log-broken", message, { file: path, line });
      break;
    }
    head = { records: record.n, hash: record.hash };
    if (record.tenant !== undefined) sequences.set(record.tenant, record.seq as number);
    if (record.kind === "start" && log === null) log = readRecord(record.text, record.line).log as string;
    closed = record.kind === "end";
    ({ end } = record);
  }
  // Whatever else the path names by mistake is never cut.
  if (end === 0 && !beginsAsLog(fd))
    throw new HookwardenError("log-broken", `${quote(path)} is no decision log`, { file: path });
  return { chain: { head, sequences }, log, closed, end };
}

/** A stream would close the file when it is left early. */
async function* bytesOf(fd: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(1_048_576);
  for (let at = 0; ;) {
    const { bytesRead } = await readAt(fd, buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

const firstBytes = '{"kind":"start","format":';

/** Whether a file without one whole record may be a log whose first write was cut off. */
function beginsAsLog(fd: number): boolean {
  const buffer = Buffer.alloc(firstBytes.length);
  const read = readSync(fd, buffer, 0, buffer.length, 0);
  return firstBytes.startsWith(buffer.toString("latin1", 0, read));
}

/** Moves what stands behind the last whole record to a file beside the log. */
function setAside(
  fd: number,
  path: string,
  { end, chain }: Found,
  size: number,
): NonNullable<Recovery["torn"]> {
  const digest = createHash("sha256");
  const { file, name } = makeAside(path, chain.head.records + 1);
  try {
    const buffer = Buffer.allocUnsafe(1_048_576);
    for (let at = end; at < size;) {
      const read = readSync(fd, buffer, 0, Math.min(buffer.length, size - at), at);
      if (read === 0) break;
      const bytes = buffer.subarray(0, read);
      digest.update(bytes);
      for (let written = 0; written < read;) written += writeSync(file, bytes, written);
      at += read;
    }
    // The torn part must be safe before the log lets go of it.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFolder(path);
  ftruncateSync(fd, end);
  fsyncSync(fd);
  return { bytes: size - end, digest: `sha256:${digest.digest("hex")}`, file: name };
}

function makeAside(path: string, n: number): { readonly file: number; readonly name: string } {
  for (let attempt = 0; ; attempt++) {
    const aside = `${path}.torn-${n}${attempt === 0 ? "" : `-${attempt}`}`;
    try {
      return { file: openSync(aside, "wx", 0o600), name: basename(aside) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || attempt > 1_000) throw error;
    }
  }
}

function cannotOpen(path: string, cause: unknown): HookwardenError {
  const { reason, fix = "" } = systemReason(cause);
  const message = `the log file ${quote(path)} cannot be opened: ${reason}`;
  return new HookwardenError("log-failed", message, { file: path }, { cause, fix });
}
