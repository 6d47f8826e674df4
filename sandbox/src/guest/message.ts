import type { Call, LogLine } from "../contract.ts";
import type { Fault, Position } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { faults } from "../outcome.ts";
import { printable } from "../printable.ts";
import { positionIn } from "./stack.ts";

/** The three text arguments of the prelude's `entry`. */
export interface Message {
  /** JSON list of the arguments. They are already JSON and are not encoded again. */
  readonly args: string;
  readonly handler: string;
  /** JSON list of the clock and the seed. */
  readonly numbers: string;
}

/** Writes a call down for the prelude. */
export function encodeMessage({ args, handler, time, seed }: Call): Message {
  return {
    args: args.length === 2 ? `[${args[0]},${args[1]}]` : `[${args.join(",")}]`,
    handler,
    numbers: `[${time},${seed[0]},${seed[1]},${seed[2]},${seed[3]}]`,
  };
}

/** The parsed reply of the prelude. */
export type Reply =
  | { readonly ok: true; readonly output: string | null; readonly logs: readonly LogLine[] }
  | { readonly ok: false; readonly fault: Fault; readonly logs: readonly LogLine[] };

const levels: ReadonlySet<string> = new Set(["debug", "log", "info", "warn", "error"]);
const none: readonly LogLine[] = [];

/**
 * Reads the prelude's reply. The prelude is ours, the engine that ran it may have been broken by the guest: nothing here
 * trusts more than that it is a text, and a reply that the prelude cannot have made is a `crashed`.
 *
 * @param file what the program is called in stacks.
 */
export function readReply(text: string, limits: Limits, file: string): Reply {
  const end = text.indexOf("\n");
  const body = text.slice(end + 1);
  const logs = end <= 1 ? (end === 1 ? none : null) : readLogs(text.slice(1, end), limits);
  if (logs === null) return broken();
  switch (text.charCodeAt(0)) {
    case 118: // v
      return Buffer.byteLength(body) > limits.outputBytes
        ? { ok: false, fault: faults.outputTooLarge(limits), logs }
        : { ok: true, output: body, logs };
    case 117: // u
      return { ok: true, output: null, logs };
    case 116: // t
      return { ok: false, fault: readThrown(body, file), logs };
    case 110: // n
      return {
        ok: false,
        fault: {
          code: "invalid-output",
          message: "the answer cannot be written as JSON: return an action such as `deny(…)`, or nothing",
        },
        logs,
      };
    case 111: // o
      return { ok: false, fault: faults.outputTooLarge(limits), logs };
    case 100: // d
      return {
        ok: false,
        fault: {
          code: "output-too-deep",
          message: `the answer nests deeper than ${limits.outputDepth} levels`,
        },
        logs,
      };
    case 104: // h
      return {
        ok: false,
        fault: { code: "load-failed", message: "the default export has no function for this event" },
        logs,
      };
    default:
      return broken();
  }
}

function broken(): Reply {
  return {
    ok: false,
    fault: { code: "crashed", message: "the sandbox gave a reply that it cannot have made" },
    logs: none,
  };
}

/** Guest text for a host's message: truncated, invisible characters escaped. */
export function guestText(text: string): string {
  return text === "" ? "a value that cannot be described" : printable(text.slice(0, 1_000)).slice(0, 1_000);
}

function readThrown(body: string, file: string): Fault {
  const [message = "", frames = ""] = body.split("\n", 2);
  return thrownFault("threw", readText(message), positionIn(readText(frames), file));
}

/** A fault with its place, where there is one. `message` is the guest's text. */
export function thrownFault(
  code: "threw" | "load-failed",
  message: string,
  position: Position | null,
): Fault {
  return { code, message: guestText(message), ...(position ? { position } : {}) };
}

/** A JSON string of the prelude's; `""` for anything else. */
function readText(body: string): string {
  try {
    const text: unknown = JSON.parse(body);
    return typeof text === "string" ? text : "";
  } catch {
    return "";
  }
}

/** Reads the number of dropped lines and the lines; `null` where the prelude cannot have written them. */
function readLogs(text: string, limits: Limits): readonly LogLine[] | null {
  const [count] = /^\d{0,15}/.exec(text) as RegExpExecArray;
  const json = text.slice(count.length);
  let lines: unknown;
  try {
    lines = json === "" ? [] : JSON.parse(json);
  } catch {
    return null;
  }
  if (!Array.isArray(lines)) return null;
  let dropped = Number(count);
  const logs: LogLine[] = [];
  // The prelude counts code units; the limit is one of bytes.
  let bytesLeft = limits.logBytes;
  for (const line of lines as unknown[]) {
    if (!Array.isArray(line)) return null;
    const [level, content] = line as unknown[];
    if (typeof level !== "string" || typeof content !== "string" || !levels.has(level)) return null;
    if (bytesLeft <= 0) {
      dropped++;
      continue;
    }
    const shown = firstBytes(content.toWellFormed(), bytesLeft);
    bytesLeft -= Buffer.byteLength(shown) + 1;
    logs.push({ level: level as LogLine["level"], text: shown });
  }
  if (dropped > 0) logs.push({ level: "warn", text: `dropped ${dropped} lines` });
  return logs;
}

/** The longest prefix of a text that fits into `bytes` of UTF-8. */
function firstBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  let units = 0;
  for (let used = 0; units < text.length;) {
    const code = text.codePointAt(units) as number;
    used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (used > bytes) break;
    units += code < 0x10000 ? 1 : 2;
  }
  return text.slice(0, units);
}
