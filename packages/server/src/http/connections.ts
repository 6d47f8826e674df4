import type { Server } from "node:http";
import type { Socket } from "node:net";

const unanswered = Symbol("unanswered");

/** A connection that knows how many requests on it have not been answered. */
export type Counted = Socket & { [unanswered]?: number };

/** Counts a request until it is answered. @returns how many there are now. */
export function countRequest(socket: Counted): number {
  return (socket[unanswered] = (socket[unanswered] ?? 0) + 1);
}

/** Ends the counting of one request. */
export function countAnswer(socket: Counted): void {
  socket[unanswered] = (socket[unanswered] ?? 1) - 1;
}

const connections = new WeakMap<Server, Set<Counted>>();

/** Keeps track of a server's connections. */
export function keepTrack(server: Server): void {
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

/** Closes all connections at once. */
export function closeAll(server: Server): void {
  for (const socket of connections.get(server) ?? []) socket.destroy();
}

/** Closes connections from an address that has as many as it may have. */
export function limitAddresses(server: Server, most: number): void {
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
