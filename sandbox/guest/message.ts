import type { Call, LogLine } from "../contract.ts";
import type { Fault, Position } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { faults } from "../outcome.ts";
import { printable } from "../printable.ts";
import { positionIn } from "./stack.ts";

/** What the prelude's `entry` takes: three texts. */
export interface Message {
  /** JSON list of the arguments. They are JSON already and go in as they are. */
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

/** What the prelude's reply says. */
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
        fault: { code: "invalid-output", message: "the answer cannot be written as JSON" },
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

/** Text of a guest as a message of the host may carry it: cut, and with nothing in it that would not be seen. */
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

function readLogs(text: string, limits: Limits): readonly LogLine[] | null {
  let lines: unknown;
  try {
    lines = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(lines)) return null;
  const logs: LogLine[] = [];
  let bytes = 0;
  for (const line of lines as unknown[]) {
    if (
      !Array.isArray(line) ||
      typeof line[0] !== "string" ||
      typeof line[1] !== "string" ||
      !levels.has(line[0])
    )
      return null;
    bytes += Buffer.byteLength(line[1]);
    // The guest counted code units; a line too many here is dropped, the count of dropped lines is kept.
    if (bytes > limits.logBytes && logs.length < lines.length - 1) continue;
    logs.push({
      level: line[0] as LogLine["level"],
      text: line[1].slice(0, limits.logBytes + 64).toWellFormed(),
    });
  }
  return logs;
}
