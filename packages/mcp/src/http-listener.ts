import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { readJsonBytes } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { listenError } from "hookwarden/errors";
import { isObject, losesNumbers, messageLimits, refusalText, rpcCodes } from "./message.ts";
import type { ProxyTransport } from "./transport.ts";

/** Where clients reach the proxy over Streamable HTTP. */
export interface ListenOptions {
  /** A loopback address: there is no authentication. Default `127.0.0.1`. */
  readonly host?: "127.0.0.1" | "::1" | "localhost";
  /** 0: one that is free. */
  readonly port: number;
  /** Default `/mcp`. */
  readonly path?: string;
  /** Most sessions at a time; each has a connection to the server, or a server, of its own. Default 64. */
  readonly maxSessions?: number;
  /** After how long without a request or an open stream a session is ended, in milliseconds. Default 30 minutes. */
  readonly idleMs?: number;
}

interface HttpSession {
  readonly transport: StreamableHTTPServerTransport;
  /** Requests and streams that are open. */
  open: number;
  /** Streams that are open for what belongs to no request; the transport drops that where there is none. */
  standalone: number;
  /** What waits for such a stream. */
  readonly held: JSONRPCMessage[];
  /** The transport's own `send`. */
  readonly send: Transport["send"];
  lastUse: number;
}

/** Most messages that wait for a client to listen. */
const maxHeld = 256;

const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

/** An HTTP server on a loopback address; each client that initialises gets a session of its own. */
export class HttpListener {
  readonly #options: Required<ListenOptions>;
  readonly #maxBytes: number;
  readonly #onsession: (transport: ProxyTransport, sessionId: string) => Promise<void>;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #server: Server;
  #starting = 0;
  #sweep: NodeJS.Timeout | undefined;

  /** @param onsession is given the transport of each new session, and starts it. */
  constructor(
    options: ListenOptions,
    maxMessageBytes: number,
    onsession: (transport: ProxyTransport, sessionId: string) => Promise<void>,
  ) {
    const { host = "127.0.0.1", port, path = "/mcp", maxSessions = 64, idleMs = 1_800_000 } = options;
    if (!loopback.has(host)) {
      throw new HookwardenError(
        "option-invalid",
        "the proxy listens on loopback addresses only, because it knows no users",
      );
    }
    this.#options = { host, port, path, maxSessions, idleMs };
    this.#maxBytes = maxMessageBytes;
    this.#onsession = onsession;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** @throws {HookwardenError} `listen-failed` where the address cannot be listened at */
  async listen(): Promise<string> {
    const { host, port, path } = this.#options;
    await new Promise<void>((done, fail) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => fail(listenError(error, host, port)));
      this.#server.listen(port, host, done);
    });
    this.#sweep = setInterval(() => this.#endIdle(), Math.min(60_000, this.#options.idleMs)).unref();
    const { address, port: bound, family } = this.#server.address() as AddressInfo;
    return `http://${family === "IPv6" ? `[${address}]` : address}:${bound}${path}`;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    const closed = new Promise((done) => this.#server.close(done));
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = this.#refusal(request);
      if (refusal) return reply(response, ...refusal);
      const header = request.headers["mcp-session-id"];
      const session = typeof header === "string" ? this.#sessions.get(header) : undefined;
      if (header !== undefined && !session)
        return reply(response, 404, rpcCodes.refused, "there is no such session");
      if (request.method !== "POST") {
        if (!session) return reply(response, 400, rpcCodes.refused, "the header `mcp-session-id` is missing");
        return await this.#handle(session, request, response, undefined);
      }
      const body = await this.#body(request, response);
      if (body === undefined) return;
      if (session) return await this.#handle(session, request, response, body);
      if (![body].flat().some((message) => isObject(message) && message["method"] === "initialize")) {
        return reply(response, 400, rpcCodes.refused, "a session begins with `initialize`");
      }
      if (this.#sessions.size + this.#starting >= this.#options.maxSessions) {
        return reply(response, 503, rpcCodes.refused, "there are too many sessions");
      }
      this.#starting++;
      let begun: HttpSession;
      try {
        begun = await this.#begin();
      } finally {
        this.#starting--;
      }
      await this.#handle(begun, request, response, body);
    } catch (error) {
      const why = error instanceof HookwardenError ? error.message : "hookwarden has failed";
      if (!response.headersSent) reply(response, 502, rpcCodes.refused, why);
      else response.destroy();
    }
  }

  async #handle(
    session: HttpSession,
    request: IncomingMessage,
    response: ServerResponse,
    body: unknown,
  ): Promise<void> {
    session.open++;
    session.lastUse = Date.now();
    response.once("close", () => {
      session.open--;
      session.lastUse = Date.now();
    });
    if (request.method === "GET") void this.#awaitStream(session, response);
    await session.transport.handleRequest(request, response, body);
  }

  /** What the server has sent before its client listened goes out when it does. */
  async #awaitStream(session: HttpSession, response: ServerResponse): Promise<void> {
    while (!response.headersSent && !response.closed) await new Promise((done) => setTimeout(done, 5));
    if (response.closed || response.statusCode !== 200) return;
    for (let next = session.held.shift(); next; next = session.held.shift()) {
      await session.send(next).catch(() => undefined);
    }
    session.standalone++;
    response.once("close", () => session.standalone--);
  }

  async #begin(): Promise<HttpSession> {
    const sessionId = randomUUID();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => sessionId,
      maxRequestBodySize: this.#maxBytes,
    });
    const send: Transport["send"] = (transport as unknown as Transport).send.bind(transport);
    const session: HttpSession = { transport, open: 0, standalone: 0, held: [], send, lastUse: Date.now() };
    const proxied = transport as unknown as Transport & { needsCourse: boolean };
    Object.defineProperty(proxied, "needsCourse", { get: () => session.standalone === 0 });
    proxied.send = async (message, options) => {
      const alone = "method" in message && options?.relatedRequestId === undefined;
      if (!alone || session.standalone > 0) return send(message, options);
      if (session.held.length >= maxHeld) throw new Error("the client does not listen");
      session.held.push(message);
    };
    await this.#onsession(proxied, sessionId);
    const { onclose } = transport;
    transport.onclose = () => {
      this.#sessions.delete(sessionId);
      onclose?.();
    };
    this.#sessions.set(sessionId, session);
    return session;
  }

  /**
   * A page in a browser must not reach the proxy: neither under a name of its own that points at this machine (the
   * `Host` header says), nor from another origin.
   */
  #refusal({ headers, url }: IncomingMessage): [number, number, string] | null {
    if (new URL(url ?? "/", "http://x").pathname !== this.#options.path) {
      return [404, rpcCodes.refused, `the proxy is at ${this.#options.path}`];
    }
    if (!isLoopback(`http://${headers.host}`))
      return [403, rpcCodes.refused, "the `Host` header names another host"];
    const { origin } = headers;
    if (origin !== undefined && !isLoopback(origin))
      return [403, rpcCodes.refused, "the `Origin` header names another host"];
    return null;
  }

  /** The body as strict JSON; `undefined` where it was refused and the refusal was sent. */
  async #body(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length;
      if (length > this.#maxBytes) {
        reply(response, 413, rpcCodes.invalidRequest, `a message is larger than ${this.#maxBytes} bytes`);
        return undefined;
      }
      parts.push(part);
    }
    const bytes = Buffer.concat(parts);
    try {
      const body = readJsonBytes(bytes, messageLimits(this.#maxBytes));
      if (!losesNumbers(bytes.toString("utf8"))) return body;
      reply(response, 400, rpcCodes.invalidRequest, "a number in the message cannot be passed on exactly");
    } catch (error) {
      reply(response, 400, rpcCodes.parse, refusalText(error));
    }
    return undefined;
  }

  #endIdle(): void {
    const since = Date.now() - this.#options.idleMs;
    for (const { transport, open, lastUse } of this.#sessions.values()) {
      if (open === 0 && lastUse < since) void transport.close();
    }
  }
}

function isLoopback(origin: string): boolean {
  const hostname = URL.parse(origin)?.hostname;
  return hostname !== undefined && (loopback.has(hostname) || hostname === "[::1]");
}

function reply(response: ServerResponse, status: number, code: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }));
}
