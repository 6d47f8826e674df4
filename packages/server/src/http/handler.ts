import type { HttpLimits } from "../limits.ts";
import type { Principal } from "../principal.ts";
import type { ServerContext } from "../context.ts";
import { stillAdmitted } from "../pipeline/admit.ts";
import { refuse } from "../pipeline/respond.ts";
import { pipeline } from "../pipeline/index.ts";
import { Problem } from "../problem.ts";
import { bodyReader, queryReader } from "./body.ts";
import type { Handler } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import { BrowserGuard } from "./guard.ts";
import { isHangUp } from "./hang-up.ts";
import { readBody } from "./read-body.ts";
import { readLines } from "./read-lines.ts";
import type { Route, RouteAnswer, RouteCall } from "./route.ts";
import { type Match, Router } from "./router.ts";
import { whileAdmitted } from "./stream.ts";

interface Readers {
  readonly body: ReturnType<typeof bodyReader>;
  readonly query: ReturnType<typeof queryReader>;
}

/** Answers requests by the table of routes. */
export function createHandler(context: ServerContext, routes: readonly Route[]): Handler {
  const guard = new BrowserGuard(context.options, context.settings);
  const router = new Router(routes);
  const readers = new Map(
    routes.map((route): [Route, Readers] => [route, { body: bodyReader(route), query: queryReader(route) }]),
  );
  return (exchange) => {
    context.telemetry?.arrive(exchange);
    const { url = "", method = "", headers } = exchange.request;
    const at = url.indexOf("?");
    const path = at < 0 ? url : url.slice(0, at);
    const search = at < 0 ? "" : url.slice(at + 1);
    const work = async (): Promise<void> => {
      guard.check(headers);
      const match = router.match(method, path);
      exchange.route = match.route.path;
      await handle(context, exchange, match, { search, ...(readers.get(match.route) as Readers) });
    };
    work().catch((error: unknown) => fail(context, exchange, error));
  };
}

async function handle(
  context: ServerContext,
  exchange: Exchange,
  { route, params }: Match,
  { search, query, body }: Readers & { readonly search: string },
): Promise<void> {
  const { request } = exchange;
  const { headers } = request;
  let mediaType = "";
  if (route.needs !== "nothing") {
    if (!context.lifecycle.isReady) throw new Problem("shutting-down", 1);
    const found = pipeline.authenticate(context, exchange);
    const principal = found instanceof Promise ? await found : found;
    exchange.principal = principal;
    if (principal) context.telemetry?.admit(exchange, principal);
    mediaType = pipeline.admit(context, { route, principal, params, headers });
  }
  const { limits } = context.settings;
  const isStream = route.body?.lines === mediaType && mediaType !== "";
  if (route.body?.limit === "packBytes") reserveUpload(context, exchange, params);
  const bytes = route.body && !isStream ? await readBody(request, limits[route.body.limit]) : null;
  const principal = exchange.principal as Principal;
  const holds = stillAdmitted(context, { route, principal, params }, headers.authorization);
  const call: RouteCall = {
    principal,
    params,
    requestId: exchange.id,
    holds,
    query: query(search),
    body: isStream ? linesOf(exchange, limits) : bytes && body(bytes, mediaType),
    mediaType,
    gone: () => request.socket.destroyed,
    traceparent: headers["traceparent"] as string | undefined,
    header: (name) => headers[name] as string | undefined,
  };
  const { telemetry } = context;
  const run = (): RouteAnswer | Promise<RouteAnswer> => route.handle(context, call);
  const answer = telemetry ? telemetry.within(exchange, run) : run();
  const answered = answer instanceof Promise ? await answer : answer;
  const send = (): void => pipeline.respond(context, exchange, whileAdmitted(answered, holds));
  // A stream decides while it is sent: its decisions belong to the request's span.
  if (telemetry && answered.stream) telemetry.within(exchange, send);
  else send();
}

/** @throws {Problem} `queue-full` while the uploads in progress take all the room there is */
function reserveUpload(
  { uploadBudget, settings }: ServerContext,
  { request, response, principal }: Exchange,
  params: { readonly tenant?: string },
): void {
  const { packBytes } = settings.limits;
  const length = Number(request.headers["content-length"] ?? packBytes);
  const release = uploadBudget.reserve(params.tenant ?? principal?.tenant ?? "", Math.min(length, packBytes));
  if (!release) throw new Problem("queue-full", 5);
  response.once("close", release);
}

/** Instead of the whole request, each of its lines has a deadline. */
function linesOf({ request, endDeadline }: Exchange, limits: HttpLimits): ReturnType<typeof readLines> {
  endDeadline();
  return readLines(request, { maxBytes: limits.eventBytes, maxMs: limits.requestMs });
}

/** Answers anything that was thrown. */
function fail(context: ServerContext, exchange: Exchange, error: unknown): void {
  const { request, response } = exchange;
  if (response.headersSent) return;
  if (!isHangUp(error, request)) return refuse(context, exchange, error);
  context.metrics.clientClosed();
  request.destroy();
}
