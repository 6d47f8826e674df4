import { isUtf8 } from "node:buffer";
import { JsonError, type JsonPosition } from "./error.ts";
import type { JsonLimits } from "./limits.ts";
import { Reader } from "./reader.ts";

/** One frame of the machine's stack is used for each level, so there is a bound that no caller can lift. */
const maxNesting = 512;

/**
 * Reads one JSON text (RFC 8259, nothing else: no comments, no trailing comma, no byte order mark).
 *
 * Beyond `JSON.parse` it refuses duplicate keys, forbidden keys, numbers that are not finite as a double, lone
 * surrogates in keys, and texts that exceed a limit. A lone surrogate in a string value becomes U+FFFD, so that what was
 * read is what can be written as UTF-8. Objects have no prototype; arrays are plain.
 *
 * @throws {JsonError} with code and place.
 */
export function readJson(text: string, limits: JsonLimits): unknown {
  if (!(limits.maxDepth <= maxNesting)) throw new RangeError(`maxDepth is at most ${maxNesting}`);
  const maxBytes = limits.maxBytes ?? Infinity;
  if (text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)) {
    throw tooLarge(maxBytes);
  }
  if (text.charCodeAt(0) === 0xfeff) throw new JsonError("encoding", "starts with a byte order mark", start);
  return new Reader(text, limits).readDocument();
}

/**
 * Reads one JSON text from its bytes, as `readJson`. The bytes must be valid UTF-8; the text is never
 * guessed to be in another encoding. A byte order mark is refused unless `limits.byteOrderMark` allows it.
 *
 * @throws {JsonError} with code and place; for `encoding` the place counts in bytes.
 */
export function readJsonBytes(bytes: Uint8Array, limits: JsonLimits): unknown {
  const maxBytes = limits.maxBytes ?? Infinity;
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (marked && !limits.byteOrderMark)
    throw new JsonError("encoding", "starts with a byte order mark", start);
  if (!isUtf8(bytes))
    throw new JsonError("encoding", "is not valid UTF-8", firstBadByte(bytes), encodingFix(bytes));
  const mark = marked ? 3 : 0;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + mark, bytes.byteLength - mark).toString("utf8");
  return readJson(text, limits);
}

const start = { offset: 0, line: 1, column: 1, pointer: "" };

function encodingFix([first, second]: Uint8Array): string | undefined {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? "It looks like UTF-16; save it as UTF-8." : undefined;
}

function tooLarge(maxBytes: number): JsonError {
  return new JsonError("too-large", `is larger than ${maxBytes} bytes`, start);
}

/** Where the bytes stop being UTF-8: the first byte that belongs to no character. */
function firstBadByte(bytes: Uint8Array): JsonPosition {
  // In streaming mode the decoder holds back a character that is cut at the end instead of refusing it. So a prefix is
  // refused exactly when it holds the first bad byte, and halving finds the longest one that is not.
  let good = 0;
  let bad = bytes.length + 1;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    if (decodedBytes(bytes, middle) === null) bad = middle;
    else good = middle;
  }
  const offset = decodedBytes(bytes, good) ?? 0;
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0 && at < offset; at = bytes.indexOf(0x0a, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  return { offset, line, column: offset - lineStart + 1, pointer: "" };
}

/** How many of the first bytes are whole characters; `null` where one of them is wrong. */
function decodedBytes(bytes: Uint8Array, length: number): number | null {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true });
    return Buffer.byteLength(decoder.decode(bytes.subarray(0, length), { stream: true }));
  } catch {
    return null;
  }
}
