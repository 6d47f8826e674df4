import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { problemBody, problemType } from "../problem.ts";

/** Connections that have been told that they end. */
const ending = new WeakSet<Socket>();

/** Refuses a request that is not read any further, and ends its connection. */
export function refuse(response: ServerResponse): void {
  const status = 400;
  if (response.socket) ending.add(response.socket);
  const body = problemBody(status, "bad-request", "none");
  response.writeHead(status, {
    "content-type": problemType,
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
}

const statuses: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["HPE_HEADER_OVERFLOW", [431, "headers-too-large"]],
  ["ERR_HTTP_REQUEST_TIMEOUT", [408, "bad-request"]],
]);

/** Answers what was no request, and closes the connection: what follows on it cannot be trusted to begin one. */
export function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (ending.has(socket)) return void socket.destroySoon();
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, code] = statuses.get(error.code ?? "") ?? [400, "bad-request"];
  const body = problemBody(status, code, "none");
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.destroySoon();
}

/** Answers a request that has not come in its time. */
export function answerLate(socket: Socket): void {
  answerBroken(Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
}
