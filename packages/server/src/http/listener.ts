import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { brokenRequestOf, malformedRequest } from "./broken-request.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";

/** An HTTP server and its connections. */
export interface Listener {
  readonly server: Server;
  /** Closes connections on which every request has been answered. */
  closeIdle(): void;
  /** Closes all connections at once. */
  closeAll(): void;
}

/**
 * The HTTP server below the routes: who may connect, how long anything may take, and what is not proper HTTP/1.1.
 * Parsing is strict: both lengths at once, folded headers and bare line feeds are refused by Node.js itself.
 */
export function createListener(options: Omit<ConnectionOptions, "makeId">): Listener {
  const { limits } = options;
  const connections = new Map<Socket, Connection>();
  const forEach = { ...options, makeId: requestIds() };
  const connectionOf = (socket: Socket): Connection => {
    let connection = connections.get(socket);
    if (!connection) {
      connections.set(socket, (connection = new Connection(socket, forEach)));
      socket.once("close", () => connections.delete(socket));
    }
    return connection;
  };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      // Each request has a deadline of its own: Node.js has one for all, which would end streams.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveMs,
      maxHeaderSize: limits.headerBytes,
      connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      insecureHTTPParser: false,
      // Checked below, together with the other ways to read a request twice.
      requireHostHeader: false,
      noDelay: true,
    },
    (request, response) =>
      connectionOf(request.socket).accept(request, response, isAmbiguous(request) ? malformedRequest : null),
  );
  server.maxHeadersCount = 100;
  // Closes connections of clients that do not read their responses.
  server.timeout = limits.stalledMs;
  server.maxConnections = limits.connections;
  limitAddresses(server, limits.connectionsPerAddress);
  server.on("connection", connectionOf);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    else connectionOf(socket).fail(brokenRequestOf(error));
  });
  // Nothing here speaks another protocol on the same connection.
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.on("connect", (_request, socket) => socket.destroy());
  server.on("checkExpectation", (request, response) =>
    connectionOf(request.socket).accept(request, response, malformedRequest),
  );
  return {
    server,
    closeIdle() {
      for (const [socket, connection] of connections) if (connection.isIdle) socket.destroySoon();
    },
    closeAll() {
      for (const socket of connections.keys()) socket.destroy();
    },
  };
}

/** Closes connections from an address that has as many as it may have. */
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

const slash = 0x2f;

/**
 * Whether a request could be read in more than one way: not exactly one host, a target that is not a path, or an encoding
 * of the body other than plain chunks.
 */
function isAmbiguous({ url, rawHeaders }: IncomingMessage): boolean {
  if (url?.charCodeAt(0) !== slash) return true;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    if (name.length === 17 && name.toLowerCase() === "transfer-encoding" && rawHeaders[at + 1] !== "chunked")
      return true;
  }
  return hosts !== 1;
}

/** Ids of requests: unique, and nothing that a request could choose. */
function requestIds(): () => string {
  const start = randomBytes(6).toString("hex");
  let count = 0;
  return () => `${start}-${(++count).toString(36)}`;
}
