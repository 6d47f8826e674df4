import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import { answerBroken, refuse } from "./broken-request.ts";
import { countAnswer, countRequest, keepTrack, limitAddresses } from "./connections.ts";
import { PlainConnection, type PlainRoute } from "./plain-connection.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The HTTP server below the routes: who may connect, how long anything may take, and what is no proper HTTP/1.1.
 * Parsing is strict: both lengths at once, folded headers and bare line feeds are refused by Node.js itself.
 *
 * @param plain the route whose plain requests are answered without what Node.js does for all others; `null`: none.
 */
export function createListener(handler: Handler, limits: HttpLimits, plain: PlainRoute | null): Server {
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
      const { socket } = request;
      const waiting = countRequest(socket);
      response.once("close", () => countAnswer(socket));
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
  if (plain) answerPlainFirst(server, plain, limits);
  keepTrack(server);
  limitAddresses(server, limits.connectionsPerAddress);
  server.on("clientError", answerBroken);
  // Nothing here speaks another protocol on the same connection.
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.on("connect", (_request, socket) => socket.destroy());
  server.on("checkExpectation", (_request, response: ServerResponse) => refuse(response));
  return server;
}

/** Connections begin as plain ones, and are Node.js's from the first request on that is not plain. */
function answerPlainFirst(server: Server, route: PlainRoute, limits: HttpLimits): void {
  const [toNode] = server.listeners("connection") as [(socket: Socket) => void];
  server.removeListener("connection", toNode);
  server.on(
    "connection",
    (socket) => new PlainConnection(socket, route, limits, () => toNode.call(server, socket)),
  );
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
