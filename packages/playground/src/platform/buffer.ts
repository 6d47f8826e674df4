import { Buffer } from "buffer/";

/**
 * Node's `Buffer` for a page. Text that is no valid UTF-8 is read as browsers and Node read it, one replacement
 * character for each part that cannot be: the package has a rule of its own.
 */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const { toString } = Buffer.prototype;

Buffer.prototype.toString = function (
  this: Buffer,
  encoding?: BufferEncoding,
  start = 0,
  end = this.length,
): string {
  if (encoding !== undefined && encoding !== "utf8") return toString.call(this, encoding, start, end);
  return decoder.decode(this.subarray(start, end));
};

/** Whether bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

export { Buffer };
