import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Principal } from "../principal.ts";
import type { ServerParts } from "../parts.ts";
import { Problem } from "../problem.ts";
import { admit, askerOf, stillAdmitted } from "./admission.ts";
import { bodyReader, queryReader } from "./body.ts";
import { BrowserGuard } from "./guard.ts";
import { isHangUp } from "./hang-up.ts";
import { createListener } from "./listener.ts";
import { plainRouteOf } from "./plain-route.ts";
import { type Asked, refusalOf, type Reply, replyOf } from "./reply.ts";
import type { Route, RouteCall } from "./route.ts";
import { whileAdmitted } from "./stream.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
    bodyType: string;
  }
}

type Done = (error?: Error) => void;

/** The routes as an HTTP server. */
export function createApp(parts: ServerParts, routes: readonly Route[]): FastifyInstance {
  const { limits } = parts.settings;
  const guard = new BrowserGuard(parts.options, parts.settings);
  const requestId = requestIds();
  const plain = routes.find(({ isPlain }) => isPlain);
  // Spans and metrics of requests are made on the way that all requests go.
  const plainRoute = plain && !parts.telemetry ? plainRouteOf(parts, plain, guard, requestId) : null;
  const app = fastify({
    serverFactory: (handler) => createListener(handler, limits, plainRoute),
    genReqId: requestId,
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    bodyLimit: limits.headerBytes,
    routerOptions: { maxParamLength: 128, caseSensitive: true, ignoreTrailingSlash: false },
    frameworkErrors: (_error, request, reply) => void fail(parts, request, reply, new Problem("bad-request")),
  }) as unknown as FastifyInstance;
  // Requests are held to validators that were compiled with hookwarden, and answers are written as they are: nothing here
  // makes code from a schema.
  app.setValidatorCompiler(() => () => {
    throw new Error("what a route takes stands in the table of routes");
  });
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  // Bodies are handed on as they came: what is checked is what is used.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.decorateRequest("principal", null);
  app.decorateRequest("bodyType", "");
  app.setErrorHandler((error, request, reply) => fail(parts, request, reply, error));
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?", 1)[0] as string;
    const code = routes.some((route) => patternOf(route.path).test(path))
      ? "method-not-allowed"
      : "not-found";
    return fail(parts, request, reply, new Problem(code));
  });
  const { telemetry } = parts;
  if (telemetry) {
    app.addHook("onRequest", (request, reply, done) => {
      telemetry.arrive(request, reply);
      done();
    });
  }
  app.addHook("onRequest", (request, _reply, done) => {
    try {
      guard.check(request.headers);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
  for (const route of routes) addRoute(app, parts, route);
  return app;
}

function addRoute(app: FastifyInstance, parts: ServerParts, route: Route): void {
  const { limits } = parts.settings;
  const readBody = bodyReader(route);
  const readQuery = queryReader(route);
  app.route({
    method: route.method,
    url: route.path.replaceAll(/\{(\w+)\}/g, ":$1"),
    ...(route.body ? { bodyLimit: limits[route.body.limit] } : {}),
    onRequest: (request, _reply, done) => enter(parts, route, request, done),
    handler: async (request, reply) => {
      const { raw, body, bodyType: mediaType } = request;
      const at = raw.url!.indexOf("?");
      const params = request.params as { [name: string]: string };
      const principal = request.principal as Principal;
      const holds = stillAdmitted(parts, { route, principal, params }, raw.headers.authorization);
      const call: RouteCall = {
        principal,
        params,
        requestId: request.id,
        holds,
        query: readQuery(at < 0 ? "" : raw.url!.slice(at + 1)),
        body: route.body ? readBody((body ?? noBytes) as Uint8Array, mediaType) : null,
        mediaType,
        gone: () => raw.socket.destroyed,
        traceparent: raw.headers["traceparent"] as string | undefined,
        header: (name) => raw.headers[name] as string | undefined,
      };
      const { telemetry } = parts;
      const answer = telemetry
        ? telemetry.within(request, () => route.handle(parts, call))
        : route.handle(parts, call);
      const reached = whileAdmitted(answer instanceof Promise ? await answer : answer, holds);
      return send(parts, request, reply, replyOf(parts, askedBy(request), reached));
    },
  });
}

const noBytes = new Uint8Array(0);

/** Who asks, whether they may, and whether the body is of a type that the route takes: before the body is read. */
function enter(parts: ServerParts, route: Route, request: FastifyRequest, done: Done): void {
  if (route.needs === "nothing") return done();
  if (!parts.isReady()) return done(new Problem("shutting-down", 1));
  const { headers, socket } = request.raw;
  const found = askerOf(parts, headers.authorization, socket);
  if (found instanceof Promise) {
    found.then(
      (principal) => setImmediate(done, refusal(parts, route, request, principal)),
      (error: Error) => setImmediate(done, error),
    );
  } else done(refusal(parts, route, request, found));
}

function refusal(
  parts: ServerParts,
  route: Route,
  request: FastifyRequest,
  principal: Principal | null,
): Error | undefined {
  if (principal) parts.telemetry?.admit(request, principal);
  request.principal = principal;
  try {
    const params = request.params as { tenant?: string };
    request.bodyType = admit(parts, { route, principal, params, headers: request.raw.headers });
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Answers anything that was thrown. */
function fail(parts: ServerParts, request: FastifyRequest, reply: FastifyReply, error: unknown): unknown {
  if (isHangUp(error, request.raw)) {
    parts.metrics.clientClosed();
    reply.hijack();
    return void request.raw.destroy();
  }
  const known = fastifyProblems.get((error as { code?: string } | null)?.code ?? "");
  return send(parts, request, reply, refusalOf(parts, askedBy(request), known ? new Problem(known) : error));
}

function askedBy({ id: requestId, principal }: FastifyRequest): Asked {
  return { requestId, tenant: principal?.tenant ?? null };
}

function send(parts: ServerParts, request: FastifyRequest, to: FastifyReply, reply: Reply): unknown {
  const { status, headers, body, problem, done } = reply;
  if (problem !== null) parts.telemetry?.problem(request, problem);
  if (done) to.raw.once("close", done);
  void to.code(status).headers(headers);
  if (body === undefined) return to.send();
  return to.send(typeof body === "string" ? body : Readable.from(body, { objectMode: false }));
}

const fastifyProblems = new Map([
  ["FST_ERR_CTP_BODY_TOO_LARGE", "body-too-large"],
  ["FST_ERR_CTP_INVALID_CONTENT_LENGTH", "bad-request"],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", "wrong-media-type"],
  ["FST_ERR_BAD_URL", "bad-request"],
  ["FST_ERR_MAX_PARAM_LENGTH", "bad-request"],
] as const) as ReadonlyMap<string, ConstructorParameters<typeof Problem>[0]>;

const patterns = new Map<string, RegExp>();

function patternOf(path: string): RegExp {
  let pattern = patterns.get(path);
  if (!pattern)
    patterns.set(
      path,
      (pattern = new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`)),
    );
  return pattern;
}

/** Ids of requests: unique, and nothing that a request could choose. */
function requestIds(): () => string {
  const start = randomBytes(6).toString("hex");
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
