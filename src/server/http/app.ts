import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Principal } from "../credentials.ts";
import type { ServerParts } from "../parts.ts";
import { Problem, problemBody, problemOf, problemType } from "../problem.ts";
import { bodyReader, mediaTypeOf, queryReader } from "./body.ts";
import { BrowserGuard } from "./guard.ts";
import { createListener } from "./listener.ts";
import type { Route, RouteAnswer, RouteCall } from "./route.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | null;
    bodyType: string;
  }
}

/** Without credentials every request is an operator's, and the default tenant's. */
const anyone: Principal = Object.freeze({
  id: "anyone",
  tenant: "default",
  scopes: new Set(["decide", "packs", "audit"] as const),
});

type Done = (error?: Error) => void;

/** The routes as an HTTP server. */
export function createApp(parts: ServerParts, routes: readonly Route[]): FastifyInstance {
  const { limits } = parts.settings;
  const app = fastify({
    serverFactory: (handler) => createListener(handler, limits),
    genReqId: requestIds(),
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
  const guard = new BrowserGuard(parts.options, parts.settings);
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
      const call: RouteCall = {
        principal: request.principal as Principal,
        params: request.params as { [name: string]: string },
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
      return send(parts, request, reply, answer instanceof Promise ? await answer : answer);
    },
  });
}

const noBytes = new Uint8Array(0);

/** Who asks, whether they may, and whether the body is of a type that the route takes: before the body is read. */
function enter(parts: ServerParts, route: Route, request: FastifyRequest, done: Done): void {
  if (route.needs === "nothing") return done();
  if (!parts.isReady()) return done(new Problem("shutting-down", 1));
  const found = parts.settings.isOpen
    ? anyone
    : parts.credentials.check(request.raw.headers.authorization, request.raw.socket);
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
): Problem | undefined {
  if (!principal) return new Problem("unauthorized");
  parts.telemetry?.admit(request, principal);
  if (!parts.settings.isOpen && !isAllowed(route, principal, request.params as { tenant?: string })) {
    return new Problem("forbidden");
  }
  request.principal = principal;
  if (!route.body) return undefined;
  const mediaType = mediaTypeOf(route, request.raw.headers);
  if (mediaType === null) return new Problem("wrong-media-type");
  request.bodyType = mediaType;
  return undefined;
}

function isAllowed({ needs }: Route, principal: Principal, params: { readonly tenant?: string }): boolean {
  // Operators look after tenants, and never speak for them.
  if (principal.tenant === null) return needs !== "decide";
  if (needs === "operator" || needs === "nothing") return false;
  return principal.scopes.has(needs) && (params.tenant === undefined || params.tenant === principal.tenant);
}

function send(
  parts: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: RouteAnswer,
): unknown {
  const { status, json, text, stream, type, headers } = answer;
  if (headers) void reply.headers(headers);
  if (status >= 400 && text !== undefined) return problem(parts, request, reply, status, text);
  const tenant = request.principal?.tenant ?? null;
  if (text !== undefined && tenant !== null && !parts.unread.hold(tenant, text.length, reply.raw))
    return fail(parts, request, reply, new Problem("answers-unread", 1));
  parts.metrics.response(status);
  void reply.code(status);
  // Whoever is answered while the server ends must not ask again on this connection, nor keep it.
  if (!parts.isReady()) void reply.header("connection", "close");
  if (text !== undefined) return reply.header("content-type", type).send(text);
  if (stream) return reply.header("content-type", type).send(Readable.from(stream, { objectMode: false }));
  if (json === undefined) return reply.send();
  return reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify(json));
}

/** Answers anything that was thrown. What it was is told to operators only, and without what was sent. */
function fail(parts: ServerParts, request: FastifyRequest, reply: FastifyReply, error: unknown): unknown {
  const known = fastifyProblems.get((error as { code?: string } | null)?.code ?? "");
  const { status, code, retryAfter } = known ? new Problem(known) : problemOf(error);
  if (status === 500) parts.log("internal-error", { request_id: request.id, error: nameOf(error) });
  if (retryAfter !== undefined) void reply.header("retry-after", String(retryAfter));
  return problem(parts, request, reply, status, code);
}

function problem(
  parts: ServerParts,
  request: FastifyRequest,
  reply: FastifyReply,
  status: number,
  code: string,
): unknown {
  parts.metrics.response(status);
  parts.telemetry?.problem(request, code);
  if (status === 401) void reply.header("www-authenticate", "Bearer");
  // The rest of a body that is not read would be taken for the next request.
  if (status === 413 || status === 400 || status === 415 || status === 401 || status === 503)
    void reply.header("connection", "close");
  return reply
    .code(status)
    .header("content-type", problemType)
    .header("x-request-id", request.id)
    .send(problemBody(status, code, request.id));
}

const fastifyProblems = new Map([
  ["FST_ERR_CTP_BODY_TOO_LARGE", "body-too-large"],
  ["FST_ERR_CTP_INVALID_CONTENT_LENGTH", "bad-request"],
  ["FST_ERR_CTP_INVALID_MEDIA_TYPE", "wrong-media-type"],
  ["FST_ERR_BAD_URL", "bad-request"],
  ["FST_ERR_MAX_PARAM_LENGTH", "bad-request"],
] as const) as ReadonlyMap<string, ConstructorParameters<typeof Problem>[0]>;

/** What kind of error it was, without its message: that may hold what was sent. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? `${error.name} ${code}` : error.name;
}

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
