import { invalidAnswer, unreachable } from "./server-error.ts";

/** How far a stream of events has come. */
export interface StreamProgress {
  /** Events that were sent and not answered yet. */
  unanswered: number;
  /** Whether the caller has no more events. */
  ended: boolean;
}

/** Longest answer that is read, in characters: a server that sends no end must not fill the memory. */
const maxLineChars = 67_108_864;

/**
 * The body of a request as newline-delimited JSON (`application/x-ndjson`), made as fast as it is sent.
 *
 * @param progress is kept up to date while the stream is read.
 */
export function eventBody(
  events: AsyncIterable<object> | Iterable<object>,
  progress: StreamProgress,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const source: AsyncIterator<object> | Iterator<object> =
    Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await source.next();
        if (done) {
          progress.ended = true;
          return controller.close();
        }
        progress.unanswered++;
        controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      },
      async cancel() {
        await source.return?.();
      },
    },
    { highWaterMark: 1 },
  );
}

/**
 * The JSON of each line of a response.
 *
 * @throws {ServerError} `unreachable` where the connection ends early, `invalid-answer` for a line that is not JSON
 */
export async function* readJsonLines(
  stream: ReadableStream<Uint8Array>,
  url: string,
): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const chunks = stream[Symbol.asyncIterator]();
  let pieces: string[] = [];
  let chars = 0;
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw unreachable(url, error);
      });
      if (done) break;
      const lines = decoder.decode(value, { stream: true }).split("\n");
      const rest = lines.pop() as string;
      for (const line of lines) {
        yield parse(pieces.join("") + line);
        pieces = [];
        chars = 0;
      }
      pieces.push(rest);
      chars += rest.length;
      if (chars > maxLineChars) throw invalidAnswer();
    }
    if (chars > 0) throw unreachable(url, null);
  } finally {
    await chunks.return?.();
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw invalidAnswer(error);
  }
}
