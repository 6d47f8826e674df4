/**
 * Frames from the child to the parent. One ASCII header line, then a body and the logs, each followed by a newline.
 *
 *     kind id steps ns memory body logs
 *
 *     H  ready; `id` is the version of the protocol, body: version of the engine
 *     X  the engine cannot be loaded; body: why
 *     K  answer; body: JSON text
 *     N  answer `null`; no body
 *     E  fault; body: code, `@line:column` where a place is known, space, message
 *     T  the same, where the program could not be loaded in time
 *     S  the call was not run, because an earlier one ended its group; no body
 *     L  the call has to wait for its program to be loaded; no body
 *     R  the program has been loaded, and the call runs; no body
 *     I  inspection; body: JSON, `null` or a list of names
 *
 * `body` and `logs` stand for sizes in bytes; `steps` is `-` where they are not counted. The logs are `level size text`
 * one after another, `level` being a digit.
 */
import type { LogLine } from "../contract.ts";
import type { Limits } from "../limits.ts";

/** Longest header line, in bytes; the longest that is valid has about 100. */
export const headerBytes = 160;
/** Longest message of a fault, in bytes. */
export const messageBytes = 8_192;
/** Longest code and place before it, in bytes. */
export const faultHeadBytes = 64;
/** Longest list of handlers, in bytes. */
export const handlersBytes = 65_536;
export const maxHandlers = 1_000;

export const levels: readonly LogLine["level"][] = ["debug", "log", "info", "warn", "error"];

/** Most bytes of console output in one reply; the line that counts what was dropped comes on top. */
export function maxLogBytes(limits: Limits): number {
  return limits.logBytes + 256;
}

/** Most lines of console output in one reply: an empty one counts as one byte. */
export function maxLogLines(limits: Limits): number {
  return limits.logBytes + 2;
}

/** Longest `level size ` before a line. */
export const logHeadBytes = 10;
