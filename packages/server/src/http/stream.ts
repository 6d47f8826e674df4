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
