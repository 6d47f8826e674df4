/** One line of a byte stream. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without the line break; `null` where the line is longer than was asked for. */
  readonly bytes: Buffer | null;
}

/** Cuts a byte stream into lines. Of a line that is too long no more is held than of any other. */
export async function* splitLines(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length <= maxBytes) parts.push(part);
    else parts = [];
  };
  const line = (): Line => {
    const bytes = length <= maxBytes ? Buffer.concat(parts) : null;
    parts = [];
    length = 0;
    return { number: number++, bytes };
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      take(chunk.subarray(start, end));
      yield line();
      start = end + 1;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  if (length > 0) yield line();
}
