import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HookwardenError } from "hookwarden/errors";
import { policyOf } from "./file.ts";

export interface ServedPage extends AsyncDisposable {
  /** Where the page is. */
  readonly url: string;
}

/**
 * Serves one page at `/`, and nothing else.
 *
 * @param at host and port; port 0 takes a free one.
 * @throws {HookwardenError} `option-invalid` where nothing can be served there.
 */
export async function servePage(
  page: string,
  at: { readonly host: string; readonly port: number },
): Promise<ServedPage> {
  const body = Buffer.from(page);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-length": body.length,
    // The page says all but the last of it of itself; only a header can say who may frame it.
    "content-security-policy": `${policyOf(page)}; frame-ancestors 'none'`,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
  };
  const server = createServer((request, response) => {
    const read = request.method === "GET" || request.method === "HEAD";
    if (!read) response.writeHead(405, { allow: "GET, HEAD" }).end();
    else if (request.url?.split("?")[0] !== "/") response.writeHead(404).end();
    else response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
  });
  await listening(server, at);
  const { port } = server.address() as AddressInfo;
  const host = at.host.includes(":") ? `[${at.host}]` : at.host;
  return {
    url: `http://${host}:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => void server.close(done));
    },
  };
}

function listening(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message = `nothing can be served at ${host}:${port} (${error.code ?? "unknown error"})`;
      fail(new HookwardenError("option-invalid", message, {}, { cause: error }));
    });
    server.listen(port, host, done);
  });
}
