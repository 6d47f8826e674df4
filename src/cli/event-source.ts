import { JsonError, readJsonBytes, isObject } from "@hookwarden/sandbox/json";
import { defaultMaxEventBytes, type EventInput } from "../broker/index.ts";
import { type ErrorPlace, HookwardenError } from "../errors/index.ts";
import { openFile } from "./json-file.ts";
import { type Line, splitLines } from "./lines.ts";

/** Largest array of events, or event over several lines, in bytes. JSON Lines can be of any size. */
const maxDocumentBytes = 67_108_864;
/** Deeper than any event may be, so that the reader of events is the one that refuses it. */
const documentLimits = {
  maxBytes: maxDocumentBytes,
  maxDepth: 160,
  maxKeys: Infinity,
  maxKeyLength: 65_536,
} as const;

/** One event as it was found, with its place. It has not been checked. */
export interface FoundEvent {
  readonly input: EventInput;
  readonly place: ErrorPlace;
  /** Fields that people and the order of work need; absent where the event is not what it should be. */
  readonly fields: { readonly [field: string]: unknown };
}

/** An event, or why there is none. */
export type Found = FoundEvent | { readonly error: HookwardenError };

/**
 * Reads events from a file, or from standard input where the path is `-`: JSON Lines, one JSON value over several
 * lines, or arrays of events. An invalid line is reported as an error, and reading goes on.
 *
 * @throws {HookwardenError} `file-unreadable`
 */
export async function* readEvents(path: string, signal: AbortSignal): AsyncGenerator<Found> {
  if (path === "-") {
    yield* eventsIn(until(process.stdin, signal), "stdin");
    return;
  }
  const file = await openFile(path);
  yield* eventsIn(until(file.createReadStream(), signal), path);
}

/** Ends a stream, without an error, when the command is to end. */
async function* until(stream: NodeJS.ReadableStream, signal: AbortSignal): AsyncGenerator<Buffer> {
  const end = (): void => void (stream as NodeJS.ReadStream).destroy();
  if (signal.aborted) return end();
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", end);
  }
}

async function* eventsIn(source: AsyncIterable<Buffer>, file: string): AsyncGenerator<Found> {
  const lines = withoutMark(splitLines(source, maxDocumentBytes));
  let first = true;
  for await (const line of lines) {
    if (isBlank(line)) continue;
    if (first && line.bytes && isUnfinished(line.bytes)) {
      yield* eventsInDocument([line], lines, file);
      return;
    }
    first = false;
    yield* eventsInLine(line, file);
  }
}

/** Some editors put a byte order mark at the start of a file. */
async function* withoutMark(lines: AsyncIterable<Line>): AsyncGenerator<Line> {
  for await (const { number, bytes } of lines) {
    const isMarked = number === 1 && bytes?.subarray(0, 3).toString("hex") === "efbbbf";
    yield { number, bytes: isMarked ? bytes.subarray(3) : bytes };
  }
}

/** The first line begins a value that it does not end: either all lines are one value, or the first one is broken. */
async function* eventsInDocument(
  head: readonly Line[],
  rest: AsyncIterable<Line>,
  file: string,
): AsyncGenerator<Found> {
  const kept = [...head];
  let bytes = head.reduce((sum, line) => sum + (line.bytes?.length ?? 0), 0);
  for await (const line of rest) {
    kept.push(line);
    bytes += (line.bytes?.length ?? maxDocumentBytes) + 1;
    if (bytes > maxDocumentBytes) break;
  }
  const offset = (head[0]?.number ?? 1) - 1;
  if (bytes <= maxDocumentBytes) {
    const text = Buffer.concat(kept.flatMap((line) => [line.bytes ?? Buffer.alloc(0), newline]));
    try {
      yield* eventsOf(readJsonBytes(text, documentLimits), { file, line: head[0]?.number ?? 1 });
      return;
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (!kept.slice(1).some((line) => line.bytes && readPlainly(line.bytes) !== undefined)) {
        yield { error: notJson(error, file, offset) };
        return;
      }
    }
  }
  for (const line of kept) if (!isBlank(line)) yield* eventsInLine(line, file);
  for await (const line of rest) if (!isBlank(line)) yield* eventsInLine(line, file);
}

const newline = Buffer.from("\n");

function* eventsInLine({ number, bytes }: Line, file: string): Generator<Found> {
  const place = { file, line: number };
  if (bytes === null) {
    yield {
      error: new HookwardenError(
        "event-too-large",
        `the event is larger than ${defaultMaxEventBytes} bytes`,
        place,
      ),
    };
    return;
  }
  if (!isArray(bytes)) {
    const fields = bytes.length <= defaultMaxEventBytes ? readPlainly(bytes) : undefined;
    yield { input: bytes, place, fields: isObject(fields) ? fields : {} };
    return;
  }
  try {
    yield* eventsOf(readJsonBytes(bytes, documentLimits), place);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    yield { error: notJson(error, file, number - 1) };
  }
}

function* eventsOf(value: unknown, place: ErrorPlace): Generator<Found> {
  if (!Array.isArray(value)) {
    yield { input: value as object, place, fields: isObject(value) ? value : {} };
    return;
  }
  for (const [index, event] of value.entries()) {
    yield {
      input: event as object,
      place: { ...place, pointer: `/${index}` },
      fields: isObject(event) ? event : {},
    };
  }
}

/** The error of one event, with the place of that event in what was read. */
export function placed(error: HookwardenError, { file, line, pointer = "" }: ErrorPlace): HookwardenError {
  const inner = error.place;
  const whole = `${pointer}${inner.pointer ?? ""}`;
  return new HookwardenError(
    error.code,
    error.message,
    {
      ...(file === undefined ? {} : { file }),
      ...(line === undefined ? {} : { line: line + (inner.line ?? 1) - 1 }),
      ...(inner.column === undefined ? {} : { column: inner.column }),
      ...(whole === "" ? {} : { pointer: whole }),
    },
    { cause: error, fix: error.fix },
  );
}

function notJson(error: JsonError, file: string, offset: number): HookwardenError {
  const { line, column, pointer, fix } = error;
  const place = { file, line: line + offset, column, ...(pointer === "" ? {} : { pointer }) };
  return new HookwardenError("event-not-json", `the event ${error.message}`, place, { cause: error, fix });
}

/** A look at a value by the platform's own parser, for what needs no trust. */
function readPlainly(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a line is the start of JSON that goes on. */
function isUnfinished(bytes: Buffer): boolean {
  if (readPlainly(bytes) !== undefined) return false;
  try {
    readJsonBytes(bytes, documentLimits);
    return false;
  } catch (error) {
    return error instanceof JsonError && error.code === "syntax" && error.message.endsWith("ends too early");
  }
}

function isBlank({ bytes }: Line): boolean {
  return bytes !== null && bytes.toString("latin1").trim() === "";
}

function isArray(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 64).toString("latin1").trimStart();
  return start.startsWith("[");
}
