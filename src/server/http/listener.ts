import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import { problemBody, problemType } from "../problem.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Requests on a connection that have not been answered. */
const unanswered = Symbol("unanswered");
/** Connections that have been told that they end. */
const ending = Symbol("ending");
type Counted = Socket & { [unanswered]?: number; [ending]?: true };

/**
 * The HTTP server below the routes: who may connect, how long anything may take, and what is no proper HTTP/1.1.
 * Parsing is strict: both lengths at once, folded headers and bare line feeds are refused by Node.js itself.
 */
export function createListener(handler: Handler, limits: HttpLimits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      insecureHTTPParser: false,
      requireHostHeader: true,
      noDelay: true,
    },
    (request, response) => {
      const socket = request.socket as Counted;
      const waiting = (socket[unanswered] ?? 0) + 1;
      socket[unanswered] = waiting;
      response.once("close", () => socket[unanswered]!--);
      // Only one reading of a request must be possible: one host, and a path as the target.
      if (request.url?.charCodeAt(0) !== slash || isAmbiguous(request.rawHeaders)) return refuse(response);
      // An answer would stand behind all those that are still to come.
      if (waiting > limits.pipelined) return void socket.destroy();
      response.setHeader("x-content-type-options", "nosniff");
      handler(request, response);
    },
  );
  server.maxHeadersCount = 100;
  // Whoever does not read its answer keeps the connection, and what stands on it, no longer than this.
  server.timeout = limits.stalledMs;
  server.maxConnections = limits.connections;
  keepTrack(server);
  limitAddresses(server, limits.connectionsPerAddress);
  server.on("clientError", answerBroken);
  // Nothing here speaks another protocol on the same connection.
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.on("connect", (_request, socket) => socket.destroy());
  server.on("checkExpectation", (_request, response: ServerResponse) => refuse(response));
  return server;
}

const connections = new WeakMap<Server, Set<Counted>>();

function keepTrack(server: Server): void {
  const open = new Set<Counted>();
  connections.set(server, open);
  server.on("connection", (socket: Counted) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
}

/**
 * Closes connections on which nothing has been asked, or everything is answered, for a server that ends. Node.js itself
 * keeps those on which nothing has come yet.
 */
export function closeResting(server: Server): void {
  for (const socket of connections.get(server) ?? []) {
    if ((socket[unanswered] ?? 0) === 0) socket.destroySoon();
  }
}

const slash = 0x2f;

/** Whether there is not exactly one host, or an encoding of the body that is not plain chunks. */
function isAmbiguous(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    if (name.length === 17 && name.toLowerCase() === "transfer-encoding" && rawHeaders[at + 1] !== "chunked")
      return true;
  }
  return hosts !== 1;
}

function refuse(response: ServerResponse): void {
  const status = 400;
  if (response.socket) (response.socket as Counted)[ending] = true;
  const body = problemBody(status, "bad-request", "none");
  response.writeHead(status, {
    "content-type": problemType,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
}

function limitAddresses(server: Server, most: number): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (counts.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
  });
}

const brokenStatus: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["HPE_HEADER_OVERFLOW", [431, "headers-too-large"]],
  ["ERR_HTTP_REQUEST_TIMEOUT", [408, "bad-request"]],
]);

/** Answers what was no request, and closes the connection: what follows on it cannot be trusted to begin one. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || (socket as Counted)[ending]) {
    if ((socket as Counted)[ending]) return void socket.destroySoon();
    socket.destroy();
    return;
  }
  const [status, code] = brokenStatus.get(error.code ?? "") ?? [400, "bad-request"];
  const body = problemBody(status, code, "none");
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.destroySoon();
}
