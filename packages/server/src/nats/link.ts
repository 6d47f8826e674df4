import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { jetstream, type JetStreamClient, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import {
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from "@nats-io/transport-node";
import { HookwardenError } from "hookwarden/errors";

/** How to reach NATS. */
export interface NatsOptions {
  /** `nats://` or `tls://` URLs. A user and password in a URL are used, and never logged. */
  readonly servers: string | readonly string[];
  /** Path of a credentials file (JWT and seed). */
  readonly credentials?: string;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  readonly tls?: {
    /** PEM file of the authorities that may vouch for the server. */
    readonly caFile?: string;
    /** PEM files of our own certificate, for servers that ask for one. */
    readonly certFile?: string;
    readonly keyFile?: string;
  };
  /** How the server lists this connection. Default `hookwarden`. */
  readonly name?: string;
  /** How often the connection is tried for life, in milliseconds; cut off is what missed two. Default 2,000. */
  readonly pingMs?: number;
  /** How long a request waits for JetStream, in milliseconds. Default 2,000. */
  readonly timeoutMs?: number;
}

/** What goes with every connection that is up. */
export interface NatsParts {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
}

const retryMs = 250;

/**
 * One connection to NATS that is made, and made again, in the background: neither a server that is away at the start nor
 * one that goes away later is an error of who holds it. What needs NATS asks for `parts()`, which fails at once while it
 * is away.
 */
export class NatsLink {
  /** Called whenever the connection is established or lost. */
  onChange: ((connected: boolean) => void) | null = null;
  readonly #listeners = new Set<(connected: boolean) => void>();
  readonly #settings: () => Promise<NodeConnectionOptions>;
  readonly #timeoutMs: number;
  #parts: NatsParts | null = null;
  #connected = false;
  #closed = false;
  #first: Promise<void>;
  #lastError: string | null = null;

  /** @throws {HookwardenError} `option-invalid` for URLs that cannot be used. */
  constructor(options: NatsOptions) {
    this.#timeoutMs = options.timeoutMs ?? 2_000;
    this.#settings = settingsOf(options);
    this.#first = this.#connect();
    this.#first.catch(() => undefined);
  }

  get connected(): boolean {
    return this.#connected;
  }

  /** Why the last attempt failed, in the words of the error's name: no address, no credential. */
  get lastError(): string | null {
    return this.#lastError;
  }

  /** Most bytes of one message, as the server says it. */
  get maxPayload(): number {
    return this.#parts?.nc.info?.max_payload ?? 1_048_576;
  }

  /** Resolves when the connection is up for the first time; rejects when the link is closed before. */
  up(): Promise<void> {
    return this.#first;
  }

  /** @throws {HookwardenError} `nats-unavailable`, at once, while there is no connection. */
  parts(): NatsParts {
    if (!this.#parts || !this.#connected)
      throw new HookwardenError("nats-unavailable", "there is no connection to NATS");
    return this.#parts;
  }

  /** Calls back whenever the connection comes or goes. @returns what ends that. */
  listen(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Ends the connection; what has been published leaves first, as far as there is somebody to take it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const nc = this.#parts?.nc;
    if (!nc) return;
    if (this.#connected)
      await Promise.race([nc.flush().catch(() => undefined), sleep(500, null, { ref: false })]);
    await nc.close().catch(() => undefined);
    this.#tell(false);
  }

  async #connect(): Promise<void> {
    while (!this.#closed) {
      try {
        const nc = await connect(await this.#settings());
        if (this.#closed) {
          await nc.close();
          break;
        }
        this.#watch(nc);
        const js = jetstream(nc, { timeout: this.#timeoutMs });
        // Without asking for the account first: JetStream may be away for a moment where NATS is not.
        const jsm = await jetstreamManager(nc, { timeout: this.#timeoutMs, checkAPI: false });
        this.#parts = { nc, js, jsm };
        this.#tell(!nc.isClosed());
        return;
      } catch (error) {
        this.#lastError = error instanceof Error ? error.name : "unknown error";
        await sleep(retryMs, null, { ref: false });
      }
    }
    throw new HookwardenError("closed", "the connection to NATS was closed before it was made");
  }

  #watch(nc: NatsConnection): void {
    void (async () => {
      for await (const status of nc.status()) {
        if (status.type === "reconnect") this.#tell(true);
        else if (status.type === "disconnect" || status.type === "staleConnection" || status.type === "close")
          this.#tell(false);
        else if (status.type === "error") this.#lastError = status.error.name;
      }
    })().catch(() => undefined);
  }

  #tell(connected: boolean): void {
    if (this.#connected === connected) return;
    this.#connected = connected;
    this.onChange?.(connected);
    for (const listener of this.#listeners) listener(connected);
  }
}

function settingsOf(options: NatsOptions): () => Promise<NodeConnectionOptions> {
  const given = typeof options.servers === "string" ? options.servers.split(",") : options.servers;
  const urls = given.map((text) => readUrl(text.trim()));
  if (urls.length === 0)
    throw new HookwardenError("option-invalid", "there must be the URL of a NATS server");
  const inUrl = urls.find(({ username }) => username !== "");
  const user = options.user ?? (inUrl && decodeURIComponent(inUrl.username));
  const pass = options.password ?? (inUrl && decodeURIComponent(inUrl.password));
  const tls = urls.some(({ protocol }) => protocol === "tls:") ? { ...options.tls } : options.tls;
  const pingInterval = options.pingMs ?? 2_000;
  return async () => ({
    servers: urls.map(({ hostname, port }) => `${hostname}:${port || "4222"}`),
    name: options.name ?? "hookwarden",
    timeout: 5_000,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    reconnectJitter: 100,
    ignoreAuthErrorAbort: true,
    pingInterval,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(options.credentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(await readFile(options.credentials)) }),
    // A URL with a user only is how NATS writes a token.
    ...(user === undefined || pass === undefined || pass === "" ? {} : { user, pass }),
    ...(options.token === undefined
      ? user !== undefined && pass === ""
        ? { token: user }
        : {}
      : { token: options.token }),
    ...(tls === undefined ? {} : { tls }),
  });
}

function readUrl(text: string): URL {
  const whole = text.includes("://") ? text : `nats://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : null;
  if (!url || (url.protocol !== "nats:" && url.protocol !== "tls:") || url.hostname === "") {
    // The text may hold a password, so it is not said.
    throw new HookwardenError(
      "option-invalid",
      "a NATS server is given as `nats://host:port` or `tls://host:port`",
    );
  }
  return url;
}
