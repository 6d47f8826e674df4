import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "@hookwarden/client";
import { createServer, type HookwardenServer, makeKey, type ServerOptions } from "../src/index.ts";

export { eventOf, guard, packOf } from "../../../test/bench/server/setup.ts";

export interface TestServer extends AsyncDisposable {
  readonly server: HookwardenServer;
  readonly url: string;
  readonly port: number;
  readonly data: string;
  readonly operator: Client;
  readonly operatorKey: string;
  /** Log lines. */
  readonly lines: string[];
  /** Makes a tenant with a key for everything, and with a pack where files are given. */
  tenant(
    name: string,
    files?: { readonly [path: string]: string },
    limits?: Parameters<Client["putTenant"]>[1],
  ): Promise<{ readonly client: Client; readonly key: string }>;
}

/** A server in this process, with hooks in it too, unless the options say otherwise. */
export async function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), "hookwarden-server-"));
  const lines: string[] = [];
  const server = await createServer({
    data,
    port: 0,
    where: "inline",
    console: false,
    log: (line) => lines.push(line),
    ...options,
  });
  const { key: operatorKey, record } = makeKey({ tenant: null, name: "test", scopes: [], expires: null });
  await server.context.stores.keys.add(record);
  const { url, port } = await server.listen();
  const operator = createClient({ url, key: operatorKey });
  return {
    server,
    url,
    port,
    data,
    operator,
    operatorKey,
    lines,
    async tenant(name, files, settings) {
      await operator.putTenant(name, settings);
      const { key } = await operator.makeKey({
        tenant: name,
        name: "test",
        scopes: ["decide", "packs", "audit", "approve"],
      });
      const client = createClient({ url, key });
      if (files) await client.putPack(name, { files });
      return { client, key };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      if (options.data === undefined) rmSync(data, { recursive: true, force: true });
    },
  };
}

/** How long `raw` waits for the first bytes, and after the last ones, in milliseconds. */
const waits = { first: 1_500, more: 500 };

/** Sends bytes as they are, and gives all that comes back until the other side closes, or nothing more comes. */
export function raw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const end = (): void => {
      socket.destroy();
      done(text);
    };
    socket.setTimeout(waits.first, end);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      socket.setTimeout(waits.more);
    });
    socket.on("error", end);
    socket.on("close", end);
    for (const part of parts) socket.write(part);
  });
}

/** Sends a request as it stands, and gives the first piece of the answer, which has its status: `raw` waits for more. */
export async function firstOf(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  const [piece] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return piece.toString("latin1");
}

/** The head of a request, for `raw`. */
export function head(method: string, path: string, headers: { readonly [name: string]: string }): string {
  const lines = Object.entries({ host: "localhost", ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
