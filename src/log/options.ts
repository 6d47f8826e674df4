import { HookwardenError } from "../errors/index.ts";
import { parseMask } from "./mask.ts";

/** When records are forced to the disk (`fsync`). */
export type FlushPolicy =
  /** Each record, before its decision is answered; records that come together share one flush. */
  | "each"
  /** After so many milliseconds or so many records, whichever comes first. Answers do not wait for it. */
  | { readonly everyMs?: number; readonly everyRecords?: number };

/** Where decisions are logged, and what happens when that is slower than deciding. */
export interface LogOptions {
  /** Path of a file, `-` for standard output, or a function that is handed each line without its line end. */
  readonly to: string | ((line: string) => void | Promise<void>);
  /**
   * JSON pointers (RFC 6901) into events, such as `/tool_input/password`; the part `*` stands for every member. What
   * they point at is in no record, neither in the event nor in what hooks wrote.
   */
  readonly mask?: readonly string[];
  /**
   * What happens when the queue is full or the destination fails. `wait` (default): decisions wait for room. `closed`:
   * they are refused with `log-failed`, and none is answered before its record has been written.
   */
  readonly onFull?: "wait" | "closed";
  /** Default: every second or 1,000 records. */
  readonly flush?: FlushPolicy;
  /** Most records that wait to be written, those of decisions under way included. Default 10,000. */
  readonly maxQueued?: number;
  /** Most characters of records that wait to be written. Default 64 Mi. */
  readonly maxQueuedChars?: number;
}

/** Log options with every default filled in. */
export interface LogSettings {
  readonly to: LogOptions["to"];
  readonly masks: readonly (readonly string[])[];
  readonly closed: boolean;
  /** Whether each batch is flushed before it is answered. */
  readonly flushEach: boolean;
  readonly everyMs: number;
  readonly everyRecords: number;
  readonly maxQueued: number;
  readonly maxQueuedChars: number;
}

/** @throws {HookwardenError} `option-invalid` */
export function logSettings(options: LogOptions | string): LogSettings {
  const given: LogOptions = typeof options === "string" ? { to: options } : options;
  const { to, onFull = "wait", flush = {}, maxQueued = 10_000, maxQueuedChars = 64 * 1_048_576 } = given;
  if (typeof to !== "function" && (typeof to !== "string" || to === "")) {
    invalid("`log.to` must be the path of a file, `-` or a function");
  }
  if (onFull !== "wait" && onFull !== "closed") invalid("`log.onFull` must be `wait` or `closed`");
  if (flush !== "each" && (typeof flush !== "object" || flush === null)) {
    invalid("`log.flush` must be `each`, or an object of `everyMs` and `everyRecords`");
  }
  const { everyMs = 1_000, everyRecords = 1_000 } = flush === "each" ? {} : flush;
  for (const [name, value] of Object.entries({ everyMs, everyRecords, maxQueued, maxQueuedChars })) {
    if (!Number.isSafeInteger(value) || value < 1)
      invalid(`\`log\`: \`${name}\` must be a whole number above 0`);
  }
  // A longer timer would fire at once.
  if (everyMs > 2_147_483_647) invalid("`log`: `everyMs` must be at most 2147483647");
  const masks = (given.mask ?? []).map(parseMask);
  return {
    to,
    masks,
    closed: onFull === "closed",
    flushEach: flush === "each",
    everyMs,
    everyRecords,
    maxQueued,
    maxQueuedChars,
  };
}

function invalid(message: string): never {
  throw new HookwardenError("option-invalid", message);
}
