import type { IncomingMessage } from "node:http";

const codes: ReadonlySet<string | undefined> = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
]);

/**
 * Whether an error only says that the client hung up before its request had come whole. The same codes behind a whole
 * request are of a connection of ours, such as one to a store, and a failure of the server.
 */
export function isHangUp(error: unknown, request: IncomingMessage): boolean {
  return !request.complete && codes.has((error as { code?: string } | null)?.code);
}
