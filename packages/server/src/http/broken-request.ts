import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { problemBody, problemType } from "../problem.ts";

/** What a request is answered that is not proper HTTP, or late. */
export interface BrokenRequest {
  readonly status: number;
  readonly code: string;
}

export const malformedRequest: BrokenRequest = { status: 400, code: "bad-request" };
export const lateRequest: BrokenRequest = { status: 408, code: "bad-request" };

const byError: ReadonlyMap<string, BrokenRequest> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: 431, code: "headers-too-large" }],
  ["ERR_HTTP_REQUEST_TIMEOUT", lateRequest],
]);

/** What an error of Node's parser is answered with. */
export function brokenRequestOf(error: NodeJS.ErrnoException): BrokenRequest {
  return byError.get(error.code ?? "") ?? malformedRequest;
}

/** Answers in the place of the request, and closes the connection: what follows cannot be trusted to begin a request. */
export function brokenResponse(response: ServerResponse, { status, code }: BrokenRequest): void {
  const body = problemBody(status, code, "none");
  response.writeHead(status, {
    "content-type": problemType,
    "content-length": Buffer.byteLength(body),
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(body);
}

/** The same where there is no request to answer: only when every response that is owed has been sent. */
export function sendBroken(socket: Socket, { status, code }: BrokenRequest): void {
  if (!socket.writable) return void socket.destroy();
  const body = problemBody(status, code, "none");
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: ${problemType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  socket.destroySoon();
}
