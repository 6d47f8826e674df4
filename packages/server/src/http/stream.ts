import type { ServerResponse } from "node:http";
import { Problem } from "../problem.ts";
import type { RouteAnswer } from "./route.ts";

/**
 * An answer whose stream ends when its credential does. Events end like those of a server that closes; of everything else
 * the connection is cut off, so that a part is never taken for the whole.
 */
export function whileAdmitted(answer: RouteAnswer, holds: () => boolean | Promise<boolean>): RouteAnswer {
  const { stream, type } = answer;
  return stream ? { ...answer, stream: checked(stream, holds, type === "text/event-stream") } : answer;
}

async function* checked(
  stream: AsyncIterable<string>,
  holds: () => boolean | Promise<boolean>,
  mayEnd: boolean,
): AsyncGenerator<string> {
  for await (const part of stream) {
    const found = holds();
    if (found === true || (await found)) yield part;
    else if (mayEnd) return;
    else throw new Problem("unauthorized");
  }
}

/**
 * Sends a stream of text with backpressure: the next part is asked for when the connection has taken the one before.
 * Where the client goes, the stream is ended.
 *
 * @param hold counts characters that the connection has not taken until its result is called; `null` where they are too
 * many, and the connection is closed.
 */
export async function sendStream(
  response: ServerResponse,
  stream: AsyncIterable<string>,
  hold: (chars: number) => (() => void) | null,
): Promise<void> {
  response.flushHeaders();
  for await (const part of stream) {
    if (response.destroyed) return;
    if (response.write(part)) continue;
    const release = hold(part.length);
    if (!release) return void response.destroy();
    await drained(response);
    release();
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
