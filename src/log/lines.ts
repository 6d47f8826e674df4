/** Longest line that is read, in bytes. */
export const maxLineBytes = 268_435_456;

/** One line of a file or stream. */
export interface Line {
  /** Without the line end. */
  readonly bytes: Buffer;
  /** Where it begins, in bytes. */
  readonly offset: number;
  /** Whether a line end stands behind it; only the last line may lack one. */
  readonly ended: boolean;
  /** Whether it was cut because it is too long. */
  readonly tooLong: boolean;
}

/** Splits bytes into lines at line feeds. An empty rest at the end is no line. */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let offset = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      const last = bytes.subarray(start, end);
      const total = length + last.length;
      const tooLong = total > maxLineBytes;
      const whole = parts.length === 0 || tooLong ? last : Buffer.concat([...parts, last], total);
      yield { bytes: whole, offset, ended: true, tooLong };
      offset += total + 1;
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < bytes.length) {
      length += bytes.length - start;
      // Too long to be a record: counted, not kept. The source may reuse a chunk.
      if (length > maxLineBytes) parts = [];
      else parts.push(Buffer.from(bytes.subarray(start)));
    }
  }
  if (length === 0) return;
  const tooLong = length > maxLineBytes;
  yield { bytes: tooLong ? Buffer.alloc(0) : Buffer.concat(parts, length), offset, ended: false, tooLong };
}
