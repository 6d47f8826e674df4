import type { ServerParts } from "../parts.ts";
import { Problem, problemBody, type ProblemDetail, problemOf, problemType } from "../problem.ts";
import type { RouteAnswer } from "./route.ts";

/** An answer as it is sent, whatever sends it. */
export interface Reply {
  readonly status: number;
  /** All but those of the connection and of the body's length. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string | AsyncIterable<string> | undefined;
  /** Code of the problem that it tells; `null` where it tells none. */
  readonly problem: string | null;
  /** To be called once the answer was handed over, or its connection has ended; `null` where nobody waits for that. */
  readonly done: (() => void) | null;
}

/** What is asked, as far as the answer depends on it. */
export interface Asked {
  readonly requestId: string;
  /** Of the credential; `null` for operators, and where there was none. */
  readonly tenant: string | null;
}

const jsonType = "application/json; charset=utf-8";

/** The reply to what a route has answered. */
export function replyOf(parts: ServerParts, asked: Asked, answer: RouteAnswer): Reply {
  const { status, json, text, detail, stream, type, headers } = answer;
  if (status >= 400 && text !== undefined) return tell(parts, asked, { status, code: text, detail }, headers);
  let done: Reply["done"] = null;
  if (text !== undefined && asked.tenant !== null && parts.unread.counts(text.length)) {
    done = parts.unread.hold(asked.tenant, text.length);
    if (done === null) return refusalOf(parts, asked, new Problem("answers-unread", 1));
  }
  parts.metrics.response(status);
  const body = text ?? stream ?? (json === undefined ? undefined : JSON.stringify(json));
  return {
    status,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "content-type": type ?? jsonType }),
      // Whoever is answered while the server ends must not ask again on this connection, nor keep it.
      ...(parts.isReady() ? {} : { connection: "close" }),
    },
    body,
    problem: null,
    done,
  };
}

/** The reply to anything that was thrown. What failed on the server's side is told to operators only. */
export function refusalOf(parts: ServerParts, asked: Asked, error: unknown): Reply {
  const problem = problemOf(error);
  const { retryAfter } = problem;
  parts.failures.note(error, asked);
  return tell(
    parts,
    asked,
    problem,
    retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) },
  );
}

/** After these the connection ends: the rest of a body that is not read would be taken for the next request. */
const lastOnes: ReadonlySet<number> = new Set([400, 401, 413, 415, 503]);

function tell(
  parts: ServerParts,
  { requestId }: Asked,
  { status, code, detail }: { status: number; code: string; detail?: ProblemDetail | undefined },
  headers: Reply["headers"] | undefined,
): Reply {
  parts.metrics.response(status);
  return {
    status,
    headers: {
      ...headers,
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(lastOnes.has(status) ? { connection: "close" } : {}),
      "content-type": `${problemType}; charset=utf-8`,
      "x-request-id": requestId,
    },
    body: problemBody(status, code, requestId, detail),
    problem: code,
    done: null,
  };
}
