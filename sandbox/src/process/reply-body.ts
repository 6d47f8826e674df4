/** Reads the body and the log lines of a child's reply. */
import { isUtf8 } from "node:buffer";
import type { LogLine } from "../contract.ts";
import type { Fault, FaultCode } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { printable } from "../printable.ts";
import { levels, maxHandlers, maxLogBytes, maxLogLines } from "./reply.ts";

/** Faults that a sandbox names. The others are named by the reader of the answer, and a child may not claim them. */
const sandboxFaults: ReadonlySet<string> = new Set<FaultCode>([
  "load-failed",
  "threw",
  "steps-exceeded",
  "timeout",
  "memory-exceeded",
  "stack-exceeded",
  "output-too-large",
  "output-too-deep",
  "invalid-output",
  "crashed",
  "input-too-large",
]);

/** A frame that the child had no right to send. The message ends the sentence "the process sent …". */
export class ProtocolViolation extends Error {}

export function refuse(what: string): never {
  throw new ProtocolViolation(what);
}

/** Decodes UTF-8, and refuses what is none: the text must stand for the bytes that were sent. */
export function readText(buffer: Buffer, from: number, to: number): string {
  const text = buffer.toString("utf8", from, to);
  if (text.includes("\uFFFD") && !isUtf8(buffer.subarray(from, to))) refuse("a text that is not UTF-8");
  return text;
}

export function readFault(text: string): Fault {
  const space = text.indexOf(" ");
  const [, code = "", line, column] =
    /^([a-z-]{1,32})(?:@([1-9]\d{0,6}):([1-9]\d{0,6}))?$/.exec(text.slice(0, space)) ?? [];
  if (space < 0 || !sandboxFaults.has(code)) refuse("an unknown fault");
  const fault: Fault = { code: code as FaultCode, message: printable(text.slice(space + 1)) };
  return line === undefined ? fault : { ...fault, position: { line: Number(line), column: Number(column) } };
}

export function readHandlers(text: string): readonly string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("an inspection that is not JSON");
  }
  if (value === null) return null;
  if (
    !Array.isArray(value) ||
    value.length > maxHandlers ||
    !value.every((name) => typeof name === "string")
  ) {
    refuse("an inspection of an unknown form");
  }
  return value as string[];
}

export function readLogs(buffer: Buffer, from: number, to: number, limits: Limits): LogLine[] {
  const lines: LogLine[] = [];
  const most = maxLogLines(limits);
  let left = maxLogBytes(limits);
  let at = from;
  while (at < to) {
    const level = levels[buffer[at]! - 48];
    if (level === undefined || buffer[at + 1] !== 32 || lines.length >= most) refuse("broken logs");
    const sizeAt = at + 2;
    let size = 0;
    for (at = sizeAt; at < to && buffer[at] !== 32; at++) {
      const digit = buffer[at]! - 48;
      if (digit < 0 || digit > 9 || at - sizeAt > 7) refuse("broken logs");
      size = size * 10 + digit;
    }
    if (at === sizeAt || at >= to) refuse("broken logs");
    const textAt = at + 1;
    at = textAt + size;
    left -= size;
    if (left < 0 || at > to) refuse("more logs than their limit");
    lines.push({ level, text: readText(buffer, textAt, at) });
  }
  return lines;
}
