import type { ServerContext } from "../context.ts";
import { Problem, problemBody, type ProblemDetail, problemOf, problemType } from "../problem.ts";
import type { Exchange } from "../http/exchange.ts";
import { isHangUp } from "../http/hang-up.ts";
import type { RouteAnswer } from "../http/route.ts";
import { sendStream } from "../http/stream.ts";

/** A response as it is sent. */
interface Reply {
  readonly status: number;
  /** All but those of the connection and of the body's length. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string | AsyncIterable<string> | undefined;
  /** Code of the problem that it carries, or `null`. */
  readonly problem: string | null;
  /** Called once the response was handed over, or its connection has closed; `null` if not needed. */
  readonly done: (() => void) | null;
}

const jsonType = "application/json; charset=utf-8";

/** The last stage: sends what a route has answered. */
export function respond(context: ServerContext, exchange: Exchange, answer: RouteAnswer): void {
  send(context, exchange, replyOf(context, exchange, answer));
}

/** Sends a problem for anything that was thrown. Details of the server's own failures go to the log only. */
export function refuse(context: ServerContext, exchange: Exchange, error: unknown): void {
  send(context, exchange, refusalOf(context, exchange, error));
}

function replyOf(context: ServerContext, exchange: Exchange, answer: RouteAnswer): Reply {
  const { status, json, text, detail, stream, type, headers } = answer;
  if (status >= 400 && text !== undefined)
    return problemReply(context, exchange, { status, code: text, detail }, headers);
  let done: Reply["done"] = null;
  const tenant = exchange.principal?.tenant ?? null;
  if (text !== undefined && tenant !== null && context.unsent.counts(text.length)) {
    done = context.unsent.hold(tenant, text.length);
    if (done === null) return refusalOf(context, exchange, new Problem("slow-consumer", 1));
  }
  context.metrics.response(status);
  const body = text ?? stream ?? (json === undefined ? undefined : JSON.stringify(json));
  return {
    status,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "content-type": type ?? jsonType }),
      // While the server ends, no further request may come on this connection.
      ...(context.lifecycle.isReady ? {} : { connection: "close" }),
    },
    body,
    problem: null,
    done,
  };
}

function refusalOf(context: ServerContext, exchange: Exchange, error: unknown): Reply {
  const problem = problemOf(error);
  const { retryAfter } = problem;
  context.failures.note(error, {
    requestId: exchange.id,
    tenant: exchange.principal?.tenant ?? null,
    route: exchange.route,
  });
  const headers = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
  return problemReply(context, exchange, problem, headers);
}

/** After these the connection ends: the rest of a body that is not read would be taken for the next request. */
const lastOnes: ReadonlySet<number> = new Set([400, 401, 413, 415, 503]);

function problemReply(
  context: ServerContext,
  { id }: Exchange,
  { status, code, detail }: { status: number; code: string; detail?: ProblemDetail | undefined },
  headers: Reply["headers"] | undefined,
): Reply {
  context.metrics.response(status);
  return {
    status,
    headers: {
      ...headers,
      ...(status === 401 ? { "www-authenticate": "Bearer" } : {}),
      ...(lastOnes.has(status) ? { connection: "close" } : {}),
      "content-type": `${problemType}; charset=utf-8`,
      "x-request-id": id,
    },
    body: problemBody(status, code, id, detail),
    problem: code,
    done: null,
  };
}

function send(context: ServerContext, { id, request, response, principal }: Exchange, reply: Reply): void {
  const { status, headers, body, problem, done } = reply;
  if (problem !== null) context.telemetry?.problem(request, problem);
  // The connection has ended meanwhile, or its request turned out to be broken and was answered so.
  if (response.headersSent || response.destroyed) return void done?.();
  if (done) response.once("close", done);
  if (typeof body === "string" || body === undefined) {
    const length =
      status === 204 || status === 304 ? {} : { "content-length": Buffer.byteLength(body ?? "") };
    response.writeHead(status, { ...headers, ...length, "x-content-type-options": "nosniff" });
    response.end(body);
    return;
  }
  response.writeHead(status, { ...headers, "x-content-type-options": "nosniff" });
  const tenant = principal?.tenant ?? null;
  const hold = (chars: number): (() => void) | null =>
    tenant === null ? () => {} : context.unsent.hold(tenant, chars);
  sendStream(response, body, hold).catch((error: unknown) => {
    if (isHangUp(error, request)) context.metrics.clientClosed();
    else context.failures.note(error, { requestId: id, tenant });
    response.destroy();
  });
}
