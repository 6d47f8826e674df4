import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { HookwardenError } from "hookwarden/errors";
import type { Warden } from "hookwarden/warden";
import type { Approval } from "./approval-request.ts";
import { HttpListener, type ListenOptions } from "./http-listener.ts";
import { checkUrl, connectOverHttp, type ServerUrl } from "./http-server.ts";
import { checkServerName } from "./names.ts";
import { type ServerCommand, type ServerExit, ServerProcess } from "./server-process.ts";
import { Session, type SessionEnd } from "./session.ts";
import { StreamTransport } from "./stdio.ts";
import { ToolFilter } from "./tool-filter.ts";
import type { ProxyTransport } from "./transport.ts";

/** Largest message by default, in bytes: that of the SDK. */
export const defaultMaxMessageBytes = 10_485_760;

export interface McpProxyOptions {
  /** Decides. It is not closed with the proxy. Its `maxEventBytes` should not be below `maxMessageBytes`. */
  readonly warden: Warden;
  /** The server's name, as hooks see it in `mcp__<name>__<tool>`: letters, digits, `-`, `.` and `_`, without `__`. */
  readonly name: string;
  /** A command to start, an address, or a function that makes a transport for each session. */
  readonly server: ServerCommand | ServerUrl | (() => Transport | Promise<Transport>);
  /** Default `stdio`: this process's standard input and output. A transport serves one session, an address many. */
  readonly client?: "stdio" | { readonly listen: ListenOptions } | Transport;
  /** Who decides where a hook says `ask`. Default: none, so that it is a refusal. */
  readonly approval?: Approval;
  /** Default `default`. */
  readonly tenant?: string;
  /** `session_id` of the events. Default: a new one for each session. */
  readonly sessionId?: string;
  /** What becomes of requests that the protocol does not have: passed on (default), or refused. */
  readonly unknownMethods?: "pass" | "refuse";
  /** Largest message of either side, in bytes. Default 10 MiB. */
  readonly maxMessageBytes?: number;
  /** Is given what hooks say to the person (`notify`). Default: nothing is done with it. */
  readonly onNotice?: (text: string) => void;
  /** Is given what goes wrong, in a sentence. Default: nothing is done with it. */
  readonly onProblem?: (text: string) => void;
}

/** A proxy that runs. */
export interface McpProxy {
  /** Where clients reach it; `null` where they do not over HTTP. */
  readonly url: string | null;
  /**
   * Settles when there is nothing left to do: the one session has ended, or a proxy that listens has been closed. Of a
   * server that was started it says how it ended.
   */
  readonly ended: Promise<SessionEnd & { readonly exit: ServerExit | null }>;
  /** How many sessions there are. */
  readonly sessions: number;
  /** Sends a signal to the servers that the proxy has started. */
  kill(signal: NodeJS.Signals): void;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a proxy between MCP clients and an MCP server, which asks a warden about every tool call, its result, and what
 * the server asks of the client's model and person. See docs/mcp.md.
 *
 * @throws {HookwardenError} `option-invalid`; `server-failed` where the server cannot be started; `listen-failed` where
 *   the address cannot be listened at.
 *
 * @example
 *     await using warden = await createWarden({ pack: "./policies" });
 *     const proxy = await createMcpProxy({ warden, name: "files", server: { command: "npx", args: ["my-server"] } });
 *     await proxy.ended;
 */
export async function createMcpProxy(options: McpProxyOptions): Promise<McpProxy> {
  const running = new RunningProxy(check(options));
  try {
    await running.start();
  } catch (error) {
    await running.close();
    throw error;
  }
  return running;
}

function check(options: McpProxyOptions): McpProxyOptions {
  checkServerName(options.name);
  const { server, maxMessageBytes = 1, approval, unknownMethods = "pass" } = options;
  if (typeof server === "object" && "url" in server) checkUrl(server.url);
  else if (typeof server !== "function" && (typeof server?.command !== "string" || server.command === "")) {
    invalid("`server` must have a `command` or a `url`, or be a function");
  }
  if (!Number.isSafeInteger(maxMessageBytes) || maxMessageBytes < 1) {
    invalid("`maxMessageBytes` must be a whole number above 0");
  }
  if (approval !== undefined && approval !== "elicit" && typeof approval !== "function") {
    invalid("`approval` must be `elicit` or a function");
  }
  if (unknownMethods !== "pass" && unknownMethods !== "refuse")
    invalid("`unknownMethods` must be `pass` or `refuse`");
  return options;
}

function invalid(message: string): never {
  throw new HookwardenError("option-invalid", message);
}

class RunningProxy implements McpProxy {
  url: string | null = null;
  readonly #options: McpProxyOptions;
  readonly #filter: ToolFilter;
  readonly #live = new Map<Session, ServerProcess | null>();
  readonly #ended = Promise.withResolvers<SessionEnd & { readonly exit: ServerExit | null }>();
  #listener: HttpListener | null = null;

  readonly #onreload = ({ ok }: { readonly ok: boolean }): void => {
    if (ok) for (const session of this.#live.keys()) session.toolsChanged();
  };

  constructor(options: McpProxyOptions) {
    this.#options = options;
    this.#filter = new ToolFilter(options.warden);
  }

  get ended(): McpProxy["ended"] {
    return this.#ended.promise;
  }

  get sessions(): number {
    return this.#live.size;
  }

  async start(): Promise<void> {
    const { client = "stdio", sessionId, warden } = this.#options;
    warden.on("reload", this.#onreload);
    if (typeof client === "object" && "listen" in client) {
      this.#listener = new HttpListener(client.listen, this.#maxBytes, async (transport, id) => {
        await this.#begin(transport, sessionId ?? id);
      });
      this.url = await this.#listener.listen();
      return;
    }
    const transport =
      client === "stdio" ? new StreamTransport(process.stdin, process.stdout, this.#maxBytes) : client;
    const { session, child } = await this.#begin(transport, sessionId ?? randomUUID());
    void session.ended.then(async (end) => {
      warden.off("reload", this.#onreload);
      this.#ended.resolve({ ...end, exit: child ? await child.exited : null });
    });
  }

  kill(signal: NodeJS.Signals): void {
    for (const child of this.#live.values()) child?.kill(signal);
  }

  async close(): Promise<void> {
    this.#options.warden.off("reload", this.#onreload);
    await this.#listener?.close();
    await Promise.all([...this.#live.keys()].map((session) => session.close()));
    await Promise.all([...this.#live.keys()].map((session) => session.ended));
    this.#ended.resolve({ by: "proxy", why: null, exit: null });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #maxBytes(): number {
    return this.#options.maxMessageBytes ?? defaultMaxMessageBytes;
  }

  async #begin(
    client: ProxyTransport,
    sessionId: string,
  ): Promise<{ session: Session; child: ServerProcess | null }> {
    const {
      warden,
      name,
      approval,
      tenant = "default",
      unknownMethods = "pass",
      onNotice,
      onProblem,
    } = this.#options;
    const server = await this.#connect();
    const child = server instanceof ServerProcess ? server : null;
    const session = new Session({
      warden,
      name,
      sessionId,
      tenant,
      approval,
      unknownMethods,
      filter: this.#filter,
      onNotice: onNotice ?? (() => undefined),
      onProblem: onProblem ?? (() => undefined),
      client,
      server,
    });
    await session.start();
    this.#live.set(session, child);
    void session.ended.then(() => this.#live.delete(session));
    return { session, child };
  }

  async #connect(): Promise<ProxyTransport> {
    const { server } = this.#options;
    if (typeof server === "function") return server();
    return "url" in server
      ? connectOverHttp(server, this.#maxBytes)
      : new ServerProcess(server, this.#maxBytes);
  }
}
