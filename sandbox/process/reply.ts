/**
 * Frames from the child to the parent. One ASCII header line, then a body and the logs, each followed by a newline.
 *
 *     H version 0 0 0 body 0        ready; body: version of the engine
 *     X 0 0 0 0 body 0              the engine cannot be loaded; body: why
 *     K id steps ns memory body logs   answer; body: JSON text
 *     N id steps ns memory 0 logs      answer `null`
 *     E id steps ns memory body logs   fault; body: code, space, message
 *     I id 0 0 0 body 0             inspection; body: JSON, `null` or a list of names
 *
 * Everything here is read as if the child had been taken over: sizes are held against the limits of the call before
 * a byte of the body is waited for, and whatever does not fit exactly is a violation.
 */
import { isUtf8 } from "node:buffer";
import type { Inspection, LogLine, Outcome } from "../contract.ts";
import { type Fault, type FaultCode, faultTable } from "../fault.ts";
import type { Limits } from "../limits.ts";

/** Longest header line; the longest that is valid has about 100 bytes. */
const headerBytes = 160;
/** Longest message of a fault, in bytes. */
export const messageBytes = 4_096;
/** Longest list of handlers, in bytes. */
export const inspectionBytes = 65_536;
const handlersMost = 1_000;

/** Faults that a sandbox names; the others are for whoever reads the answer, and a child may not claim them. */
const sandboxFaults: ReadonlySet<string> = new Set<FaultCode>([
  "load-failed",
  "threw",
  "steps-exceeded",
  "timeout",
  "memory-exceeded",
  "stack-exceeded",
  "output-too-large",
  "output-too-deep",
  "crashed",
  "overloaded",
] satisfies (keyof typeof faultTable)[]);

const levels: readonly LogLine["level"][] = ["debug", "log", "info", "warn", "error"];

/** Most lines of console output that one reply can carry. */
export function mostLogLines(limits: Limits): number {
  return Math.min(limits.logBytes, 4_096) + 1;
}
/** What a line that counts dropped output may take beyond the limit. */
const logSlack = 256;

export interface Reply {
  readonly kind: "ready" | "missing" | "outcome" | "inspection";
  readonly id: number;
  readonly text: string;
  readonly outcome: Outcome | null;
  readonly inspection: Inspection | null;
}

/** What the parent knows of the reply that must come next. */
export interface Expected {
  readonly id: number;
  readonly kind: "call" | "inspect";
  readonly limits: Limits;
}

/** A frame that the child had no right to send. */
export class ProtocolViolation extends Error {}

function violation(what: string): never {
  throw new ProtocolViolation(what);
}

// ---- child side

const byteLength = Buffer.byteLength;

/** Cuts a text to at most `most` bytes of UTF-8. */
function cut(text: string, most: number): string {
  return byteLength(text) <= most
    ? text
    : Buffer.from(text)
        .toString("utf8", 0, most)
        .replace(/\uFFFD$/, "");
}

function encodeLogs(logs: readonly LogLine[], limits: Limits): string {
  let left = limits.logBytes + logSlack;
  let text = "";
  for (const line of logs.slice(0, mostLogLines(limits))) {
    const part = cut(line.text, left);
    const size = byteLength(part);
    left -= size;
    text += `${levels.indexOf(line.level)} ${size} ${part}`;
    if (left <= 0) break;
  }
  return text;
}

const whole = (value: number): number => (value > 0 && value < 9e15 ? Math.round(value) : 0);

function frame(
  kind: string,
  id: number,
  usage: { steps: number | null; durationUs: number; memoryBytes: number },
  body: string,
  logs: string,
): string {
  const steps = usage.steps === null ? "-" : whole(usage.steps);
  const header = `${kind} ${id} ${steps} ${whole(usage.durationUs * 1_000)} ${whole(usage.memoryBytes)} ${byteLength(body)} `;
  return logs === "" ? `${header}0\n${body}\n\n` : `${header}${byteLength(logs)}\n${body}\n${logs}\n`;
}

const nothing = { steps: 0, durationUs: 0, memoryBytes: 0 };

export function encodeReady(version: string, protocol: number): string {
  return frame("H", protocol, nothing, cut(version, 256), "");
}

export function encodeMissing(message: string): string {
  return frame("X", 0, nothing, cut(message, messageBytes), "");
}

export function encodeOutcome(id: number, outcome: Outcome, limits: Limits): string {
  const logs = outcome.logs.length === 0 ? "" : encodeLogs(outcome.logs, limits);
  if (!outcome.ok) return frame("E", id, outcome, faultBody(outcome.fault), logs);
  const { output } = outcome;
  if (output === null) return frame("N", id, outcome, "", logs);
  // The engine has held this budget while it serialised; an engine that counts otherwise is corrected here.
  if (output.length * 3 > limits.outputBytes && byteLength(output) > limits.outputBytes) {
    return frame(
      "E",
      id,
      outcome,
      faultBody({ code: "output-too-large", message: "the answer is larger than `limits.outputBytes`" }),
      logs,
    );
  }
  return frame("K", id, outcome, output, logs);
}

export function encodeInspection(id: number, inspection: Inspection): string {
  if (!inspection.ok) return frame("E", id, nothing, faultBody(inspection.fault), "");
  const body = JSON.stringify(inspection.handlers);
  if (byteLength(body) > inspectionBytes || (inspection.handlers?.length ?? 0) > handlersMost) {
    return frame(
      "E",
      id,
      nothing,
      faultBody({ code: "load-failed", message: "the default export has too many or too long names" }),
      "",
    );
  }
  return frame("I", id, nothing, body, "");
}

const faultBody = (fault: Fault): string => `${fault.code} ${cut(fault.message, messageBytes)}`;

// ---- parent side

/** Cuts the byte stream of one child into replies. Feed it chunks with `push`, then take replies with `next`. */
export class ReplyReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it is worth looking again. */
  #need = 1;
  #at = 0;
  #end = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** Bytes of a frame that has begun and is not whole. */
  get rest(): number {
    return this.#size;
  }

  /**
   * The next whole reply, or `null` until more bytes come. `expected` is `undefined` while the child starts and `null`
   * when nothing is asked of it, so that any byte is too many.
   */
  next(expected: Expected | null | undefined): Reply | null {
    if (this.#size < this.#need) return null;
    if (expected === null) violation("bytes that nobody asked for");
    let buffer = this.#chunks[0]!;
    if (this.#chunks.length > 1) {
      buffer = Buffer.concat(this.#chunks, this.#size);
      this.#chunks = [buffer];
    }
    const newline = buffer.indexOf(10);
    if (newline < 0 || newline > headerBytes) {
      if (newline > headerBytes || buffer.length > headerBytes) violation("a header line is too long");
      this.#need = this.#size + 1;
      return null;
    }
    const kind = buffer[0]!;
    if (buffer[1] !== 32) violation("a broken header");
    this.#at = 2;
    this.#end = newline;
    const id = this.#number(buffer);
    const steps = this.#numberOrDash(buffer);
    const ns = this.#number(buffer);
    const memory = this.#number(buffer);
    const bodySize = this.#number(buffer);
    const logSize = this.#number(buffer);
    if (this.#at !== newline + 1) violation("a header has too many fields");
    checkHeader(kind, id, bodySize, logSize, expected);
    const total = newline + 1 + bodySize + 1 + logSize + 1;
    if (buffer.length < total) {
      this.#need = total;
      return null;
    }
    const bodyAt = newline + 1;
    const logsAt = bodyAt + bodySize + 1;
    if (buffer[logsAt - 1] !== 10 || buffer[total - 1] !== 10)
      violation("a frame does not end where it says");
    const reply = readBody(buffer, kind, id, steps, ns, memory, bodyAt, bodySize, logsAt, logSize, expected);
    this.#size -= total;
    this.#need = 1;
    this.#chunks = this.#size === 0 ? [] : [buffer.subarray(total)];
    return reply;
  }

  #numberOrDash(buffer: Buffer): number | null {
    if (buffer[this.#at] === 45 && buffer[this.#at + 1] === 32) {
      this.#at += 2;
      return null;
    }
    return this.#number(buffer);
  }

  /** Digits only, at most 15, no leading zero: there is one way to write a number. */
  #number(buffer: Buffer): number {
    const from = this.#at;
    let at = from;
    let value = 0;
    for (; at < this.#end; at++) {
      const digit = buffer[at]! - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const digits = at - from;
    if (digits === 0 || digits > 15 || (digits > 1 && buffer[from] === 48)) violation("a broken number");
    if (at < this.#end && buffer[at] !== 32) violation("a broken header");
    this.#at = at + 1;
    return value;
  }
}

function checkHeader(
  kind: number,
  id: number,
  body: number,
  logs: number,
  expected: Expected | undefined,
): void {
  if (expected === undefined) {
    if ((kind !== 72 && kind !== 88) || body > messageBytes || logs !== 0) violation("no greeting");
    return;
  }
  if (id !== expected.id) violation("an answer to another call");
  if (kind === 69) {
    if (body > messageBytes + 32) violation("a message is too long");
  } else if (expected.kind === "inspect") {
    if (kind !== 73 || body > inspectionBytes) violation("no inspection");
  } else if (kind === 75) {
    if (body > expected.limits.outputBytes) violation("an answer is larger than its limit");
  } else if (kind !== 78 || body !== 0) violation("an unknown frame");
  if (
    logs >
    (expected.kind === "call" ? expected.limits.logBytes + logSlack + mostLogLines(expected.limits) * 8 : 0)
  )
    violation("too many logs");
}

function readBody(
  buffer: Buffer,
  kind: number,
  id: number,
  steps: number | null,
  ns: number,
  memory: number,
  bodyAt: number,
  bodySize: number,
  logsAt: number,
  logSize: number,
  expected: Expected | undefined,
): Reply {
  const text = bodySize === 0 ? "" : readText(buffer, bodyAt, bodyAt + bodySize);
  if (kind === 72 || kind === 88)
    return {
      kind: kind === 72 ? "ready" : "missing",
      id,
      text: printable(text),
      outcome: null,
      inspection: null,
    };
  const logs = logSize === 0 ? [] : readLogs(buffer, logsAt, logsAt + logSize, expected!.limits);
  const fault = kind === 69 ? readFault(text) : null;
  if (expected!.kind === "inspect") {
    const inspection: Inspection = fault ? { ok: false, fault } : { ok: true, handlers: readHandlers(text) };
    return { kind: "inspection", id, text: "", outcome: null, inspection };
  }
  const durationUs = ns / 1_000;
  const outcome: Outcome = fault
    ? { ok: false, fault, steps, durationUs, memoryBytes: memory, logs }
    : { ok: true, output: kind === 78 ? null : text, steps, durationUs, memoryBytes: memory, logs };
  return { kind: "outcome", id, text: "", outcome, inspection: null };
}

/** Decodes UTF-8, and refuses what is none: the text must stand for the bytes that were sent. */
function readText(buffer: Buffer, from: number, to: number): string {
  const text = buffer.toString("utf8", from, to);
  if (text.includes("\uFFFD") && !isUtf8(buffer.subarray(from, to))) violation("a text that is not UTF-8");
  return text;
}

function readFault(text: string): Fault {
  const space = text.indexOf(" ");
  const code = text.slice(0, space);
  if (space < 0 || !sandboxFaults.has(code)) violation("an unknown fault");
  return { code: code as FaultCode, message: printable(text.slice(space + 1)) };
}

function readHandlers(text: string): readonly string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    violation("an inspection that is not JSON");
  }
  if (value === null) return null;
  if (
    !Array.isArray(value) ||
    value.length > handlersMost ||
    !value.every((name) => typeof name === "string")
  )
    violation("a broken inspection");
  return value as string[];
}

function readLogs(buffer: Buffer, from: number, to: number, limits: Limits): LogLine[] {
  const lines: LogLine[] = [];
  const most = mostLogLines(limits);
  let left = limits.logBytes + logSlack;
  let at = from;
  while (at < to) {
    const level = levels[buffer[at]! - 48];
    if (level === undefined || buffer[at + 1] !== 32 || lines.length >= most) violation("broken logs");
    let size = 0;
    const sizeAt = at + 2;
    for (at = sizeAt; at < to && buffer[at] !== 32; at++) {
      const digit = buffer[at]! - 48;
      if (digit < 0 || digit > 9 || at - sizeAt > 7) violation("broken logs");
      size = size * 10 + digit;
    }
    if (at === sizeAt || at >= to) violation("broken logs");
    const textAt = at + 1;
    at = textAt + size;
    left -= size;
    if (left < 0 || at > to) violation("broken logs");
    lines.push({ level, text: readText(buffer, textAt, at) });
  }
  return lines;
}

/** Messages are the host's own sentences: whatever a broken child puts in them, they stay one line of plain text. */
function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
