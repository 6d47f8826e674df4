/**
 * Reads what a child sends as if it had been taken over: sizes are held against the limits of the call before a byte of
 * the body is waited for, and whatever does not fit exactly is a violation.
 */
import type { Inspection, Outcome } from "../contract.ts";
import type { Limits } from "../limits.ts";
import { printable } from "../printable.ts";
import { readFault, readHandlers, readLogs, readText, refuse } from "./reply-body.ts";
import {
  faultHeadBytes,
  handlersBytes,
  headerBytes,
  logHeadBytes,
  messageBytes,
  maxLogBytes,
  maxLogLines,
} from "./reply.ts";

export { ProtocolViolation } from "./reply-body.ts";

export interface Reply {
  readonly kind: "ready" | "missing" | "loading" | "running" | "outcome" | "inspection";
  readonly id: number;
  /** Version of the engine, or why it is missing. */
  readonly text: string;
  readonly outcome: Outcome | null;
  readonly inspection: Inspection | null;
}

/** What the parent knows of the reply that must come next. */
export interface Expected {
  readonly id: number;
  readonly kind: "call" | "inspect";
  readonly limits: Limits;
  /** Whether it may be skipped: an earlier call of its group has been answered. */
  readonly maySkip?: boolean;
}

const H = 72;
const X = 88;
const K = 75;
const N = 78;
const E = 69;
const I = 73;
const T = 84;
const L = 76;
const R = 82;
const S = 83;

/** The outcome of a call that was not run, because an earlier one ended its group. */
export const skippedOutcome: Outcome & { readonly ok: false } = Object.freeze({
  ok: false as const,
  skipped: true,
  fault: { code: "overloaded" as const, message: "not run: an earlier call ended its group" },
  steps: null,
  durationUs: 0,
  memoryBytes: 0,
  logs: [],
});

/** A child writes a frame in one go. It may come in so many pieces, and one more for so many bytes. */
const crumbs = 64;
const crumbBytes = 256;

/** Cuts the byte stream of one child into replies. Feed it chunks with `push`, then take replies with `next`. */
export class ReplyReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it is worth looking again. */
  #need = 1;
  /** Chunks of the frame that has begun, and the most that it may come in. */
  #pieces = 0;
  #most = Infinity;
  /** Where the next field of the header begins, and where the header ends. */
  #at = 0;
  #end = 0;

  /** Throws `ProtocolViolation` for a frame whose pieces are so small that reading them would keep the parent busy. */
  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (++this.#pieces > this.#most) refuse("a frame in crumbs");
  }

  /**
   * The next whole reply, or `null` until more bytes come. `expected` is `undefined` while the child starts, and `null`
   * when nothing is asked of it, so that any byte is one too many. Throws `ProtocolViolation`.
   */
  next(expected: Expected | null | undefined): Reply | null {
    if (this.#size < this.#need) return null;
    if (expected === null) refuse("bytes that were not requested");
    let buffer = this.#chunks[0]!;
    if (this.#chunks.length > 1) {
      buffer = Buffer.concat(this.#chunks, this.#size);
      this.#chunks = [buffer];
    }
    const newline = buffer.indexOf(10);
    if (newline < 0 || newline > headerBytes) {
      if (newline > headerBytes || buffer.length > headerBytes) refuse("a header without an end");
      this.#need = this.#size + 1;
      this.#most = crumbs;
      return null;
    }
    if (buffer[1] !== 32) refuse("a broken header");
    this.#at = 2;
    this.#end = newline;
    const kind = buffer[0]!;
    const id = this.#number(buffer);
    const steps = this.#numberOrDash(buffer);
    const ns = this.#number(buffer);
    const memoryBytes = this.#number(buffer);
    const bodySize = this.#number(buffer);
    const logSize = this.#number(buffer);
    if (this.#at !== newline + 1) refuse("a header with too many fields");
    checkHeader({ kind, id, body: bodySize, logs: logSize }, expected);

    const bodyAt = newline + 1;
    const logsAt = bodyAt + bodySize + 1;
    const total = logsAt + logSize + 1;
    if (buffer.length < total) {
      this.#need = total;
      this.#most = crumbs + total / crumbBytes;
      return null;
    }
    if (buffer[logsAt - 1] !== 10 || buffer[total - 1] !== 10)
      refuse("a frame that does not end where it says");
    const text = bodySize === 0 ? "" : readText(buffer, bodyAt, logsAt - 1);
    const logs = logSize === 0 ? [] : readLogs(buffer, logsAt, total - 1, expected!.limits);
    this.#size -= total;
    this.#need = 1;
    this.#pieces = 0;
    this.#most = Infinity;
    this.#chunks = this.#size === 0 ? [] : [buffer.subarray(total)];

    return replyOf(
      { kind, id, text, figures: { steps, durationUs: ns / 1_000, memoryBytes, logs } },
      expected,
    );
  }

  #numberOrDash(buffer: Buffer): number | null {
    if (buffer[this.#at] !== 45) return this.#number(buffer);
    if (buffer[this.#at + 1] !== 32) refuse("a broken header");
    this.#at += 2;
    return null;
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
    if (digits < 1 || digits > 15 || (digits > 1 && buffer[from] === 48)) refuse("a broken number");
    if (at < this.#end && buffer[at] !== 32) refuse("a broken header");
    this.#at = at + 1;
    return value;
  }
}

/** Kind and sizes of a frame, in bytes. */
interface Header {
  readonly kind: number;
  readonly id: number;
  readonly body: number;
  readonly logs: number;
}

function checkHeader({ kind, id, body, logs }: Header, expected: Expected | undefined): void {
  if (expected === undefined) {
    if ((kind !== H && kind !== X) || body > messageBytes || logs !== 0)
      refuse("something else than its greeting");
    return;
  }
  const { limits } = expected;
  if (id !== expected.id) refuse("an answer to another call");
  if (kind === E) {
    if (body > messageBytes + faultHeadBytes) refuse("a message that is too long");
  } else if (expected.kind === "inspect") {
    if (kind !== I || body > handlersBytes) refuse("something else than an inspection");
  } else if (kind === T) {
    if (body > messageBytes + 32) refuse("a message that is too long");
  } else if (kind === K) {
    if (body > limits.outputBytes) refuse("an answer that is larger than its limit");
  } else if (kind === S) {
    // Otherwise a child could answer no call at all, for ever.
    if (!expected.maySkip || body !== 0) refuse("a skipped call that it had to run");
  } else if ((kind !== N && kind !== L && kind !== R) || body !== 0) refuse("a frame of an unknown kind");
  if ((kind === L || kind === R || kind === S) && logs !== 0)
    refuse("logs of a call that has not been answered");
  if (logs > (expected.kind === "call" ? maxLogBytes(limits) + maxLogLines(limits) * logHeadBytes : 0)) {
    refuse("more logs than their limit");
  }
}

/** A frame that was read whole. */
interface Frame {
  readonly kind: number;
  readonly id: number;
  readonly text: string;
  readonly figures: Pick<Outcome, "steps" | "durationUs" | "memoryBytes" | "logs">;
}

function replyOf({ kind, id, text, figures }: Frame, expected: Expected | undefined): Reply {
  const reply = { id, text: "", outcome: null, inspection: null };
  if (expected === undefined)
    return { ...reply, kind: kind === H ? "ready" : "missing", text: printable(text) };
  if (kind === L || kind === R) return { ...reply, kind: kind === L ? "loading" : "running" };
  if (kind === S) return { ...reply, kind: "outcome", outcome: skippedOutcome };
  const fault = kind === E || kind === T ? readFault(text) : null;
  if (kind === T && fault?.code !== "timeout") refuse("another fault where it said that time ran out");
  if (expected.kind === "inspect") {
    const inspection: Inspection = fault ? { ok: false, fault } : { ok: true, handlers: readHandlers(text) };
    return { ...reply, kind: "inspection", inspection };
  }
  const outcome: Outcome = fault
    ? { ok: false, fault, ...figures, ...(kind === T ? { loadTimedOut: true } : undefined) }
    : { ok: true, output: kind === N ? null : text, ...figures };
  return { ...reply, kind: "outcome", outcome };
}
