import type { Decision } from "hookwarden/broker";
import type {
  NodeReport,
  Overview,
  PackRevision,
  Rollout,
  Scope,
  FaultView,
  HookView,
  LatencyView,
  LiveEvent,
  QuarantineEntry,
  TenantLimits,
  TenantView,
} from "@hookwarden/server";
import type { HookDescription } from "hookwarden/warden";
import { invalidAnswer, problemOf, unreachable } from "./server-error.ts";
import { type StreamProgress, eventBody, readJsonLines } from "./json-lines.ts";
import { readServerSentEvents } from "./server-sent-events.ts";
import type {
  Answered,
  ClientOptions,
  DecideOptions,
  KeyView,
  PackCheck,
  PackState,
  PackUpload,
  Trial,
  Tried,
  UploadOptions,
} from "./types.ts";

/** Asks a server. Every method rejects with a `ServerError` where the server does not do what it was asked for. */
export class Client {
  readonly #url: string;
  readonly #key: string | undefined;
  readonly #timeoutMs: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ url, key, timeoutMs = 30_000, fetch = globalThis.fetch }: ClientOptions) {
    this.#url = url.replace(/\/+$/, "");
    this.#key = key;
    this.#timeoutMs = timeoutMs;
    this.#fetch = fetch;
  }

  /**
   * Decides one event, with the pack of the tenant that the key is for. Needs the scope `decide`, as all decisions do.
   *
   * @throws {ServerError} where there is no decision: that is no permission. `no-pack`, `event-invalid`, `rate-limited`,
   *   `unreachable` and others; docs/server.md has them all.
   */
  async decide(event: object, options: DecideOptions = {}): Promise<Decision> {
    const answer = await this.#json<unknown>("POST", "/v1/decisions", { json: event, ...asked(options) });
    if (!isDecision(answer)) throw invalidAnswer();
    return answer;
  }

  /** Decides up to 256 events; answers stand in the order of the events, and each has a status of its own. */
  async decideBatch(
    events: readonly object[],
    options: DecideOptions = {},
  ): Promise<readonly Answered<Decision>[]> {
    const answers = await this.#json<unknown>("POST", "/v1/decisions", { json: events, ...asked(options) });
    if (!Array.isArray(answers) || answers.length !== events.length || !answers.every(isAnswered))
      throw invalidAnswer();
    return answers;
  }

  /**
   * Decides events as they come, over one connection: answers come in the order of the events, and each has a status of its
   * own. Events are asked for no faster than the server takes them. Not bound by `timeoutMs`; a `signal` ends it. Needs a
   * `fetch` that sends streams over HTTP/1.1, as those of Node.js, Deno and Bun do.
   *
   * @throws {ServerError} where the stream as a whole is refused or ends early: events without an answer were refused.
   *
   * @example
   *     for await (const answered of client.decideStream(events)) {
   *       if ("answer" in answered) console.log(answered.answer.verdict);
   *     }
   */
  async *decideStream(
    events: AsyncIterable<object> | Iterable<object>,
    options: Omit<DecideOptions, "idempotencyKey"> = {},
  ): AsyncGenerator<Answered<Decision>> {
    const progress: StreamProgress = { unanswered: 0, ended: false };
    const ending = new AbortController();
    const signals = [ending.signal, ...(options.signal ? [options.signal] : [])];
    const stream = eventBody(events, progress);
    try {
      const request = { ...asked(options), stream };
      const { body } = await this.#ask("POST", "/v1/decisions", request, AbortSignal.any(signals));
      if (!body) throw unreachable(this.#url, null);
      for await (const answered of readJsonLines(body, this.#url)) {
        if (!isAnswered(answered)) throw invalidAnswer();
        progress.unanswered--;
        yield answered;
      }
      // A server that shuts down ends the response in order, though more events were to come.
      if (!progress.ended || progress.unanswered !== 0) throw unreachable(this.#url, null);
    } finally {
      ending.abort();
    }
  }

  /** Decides one message of another system, and answers in that system's words. */
  decideInDialect(dialect: string, message: object, options: DecideOptions = {}): Promise<unknown> {
    return this.#json("POST", `/v1/dialects/${part(dialect)}/decisions`, {
      json: message,
      ...asked(options),
    });
  }

  /**
   * Uploads a pack, which takes the place of the one that serves, or goes on trial. Needs the scope `packs`, as all that
   * follows up to `getHooks`.
   *
   * @throws {ServerError} `bundle-invalid`, `pack-invalid` and others; `checkPack` tells what is wrong in words.
   */
  putPack(
    tenant: string,
    pack: PackUpload,
    options: UploadOptions = {},
  ): Promise<{ readonly revision: PackRevision; readonly rollout: Rollout | null }> {
    const query = queryOf(options);
    return this.#json("PUT", `${packs(tenant)}?${query}`, uploaded(pack));
  }

  /** Checks a pack as an upload would, and tells what is wrong with it. */
  checkPack(tenant: string, pack: PackUpload): Promise<PackCheck> {
    return this.#json("POST", `${packs(tenant)}/check`, uploaded(pack));
  }

  /** What serves, what is on trial, and the last fifty revisions and changes. */
  getPacks(tenant: string): Promise<PackState> {
    return this.#json("GET", packs(tenant));
  }

  /** Leaves the tenant without a pack: every event is refused from then on. */
  removePack(tenant: string): Promise<Rollout> {
    return this.#json("DELETE", packs(tenant));
  }

  /**
   * Lets a stored revision decide; with `percent` it goes on trial with that share of events.
   *
   * @param step.expected generation that this was decided on; where another change came first it is a `conflict`.
   */
  activatePack(
    tenant: string,
    step: { readonly revision: number; readonly percent?: number; readonly expected?: number },
  ): Promise<Rollout> {
    return this.#json("POST", `${packs(tenant)}/activate`, { json: step });
  }

  /** Goes back to a revision that served before; without one, to the one before the present. */
  rollbackPack(tenant: string, step: { readonly revision?: number } = {}): Promise<Rollout> {
    return this.#json("POST", `${packs(tenant)}/rollback`, { json: step });
  }

  /** Ends a trial. The pack that serves goes on. */
  withdrawPack(tenant: string): Promise<Rollout> {
    return this.#json("POST", `${packs(tenant)}/withdraw`);
  }

  /** Decides events with a pack that need not serve. Nothing is kept of it. */
  async try(tenant: string, trial: Trial): Promise<readonly Tried<Decision>[]> {
    const path = `/v1/tenants/${part(tenant)}/try`;
    return (await this.#json<{ results: readonly Tried<Decision>[] }>("POST", path, { json: trial })).results;
  }

  /** The hooks that serve, in their order, with what each may see and do. */
  async getHooks(tenant: string): Promise<readonly HookDescription[]> {
    return (await this.#json<{ hooks: HookDescription[] }>("GET", `/v1/tenants/${part(tenant)}/hooks`)).hooks;
  }

  /** Where the chains of the audit stand, one for each node of a fleet. Needs the scope `audit`. */
  async getAudit(tenant: string): Promise<
    readonly {
      readonly node: string;
      readonly records: number;
      readonly hash: string;
      readonly closed: boolean;
    }[]
  > {
    const path = `/v1/tenants/${part(tenant)}/audit`;
    return (
      await this.#json<{ chains: { node: string; records: number; hash: string; closed: boolean }[] }>(
        "GET",
        path,
      )
    ).chains;
  }

  /**
   * The bytes of one chain of the audit: a decision log, for `hookwarden log verify` and `hookwarden replay`. Needs the
   * scope `audit`.
   *
   * @param node whose chain; default `local`, the name of a server that is in no fleet.
   * @param range.after number of the record behind which it begins; `range.limit` how many records. Default: all.
   */
  async exportAudit(
    tenant: string,
    node = "local",
    range: { readonly after?: number; readonly limit?: number } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const query = queryOf(range);
    const path = `/v1/tenants/${part(tenant)}/audit/${part(node)}?${query}`;
    return this.#stream(path);
  }

  /** The server in a few numbers. Needs an operator's key, as all that follows. */
  getOverview(): Promise<Overview> {
    return this.#json("GET", "/v1/admin/overview");
  }

  /** Nodes of the fleet, and which generation each serves to whom; none for a server that is in no fleet. */
  async getNodes(): Promise<readonly NodeReport[]> {
    return (await this.#json<{ nodes: NodeReport[] }>("GET", "/v1/admin/nodes")).nodes;
  }

  /** All tenants, with their limits and what they use. */
  async getTenants(): Promise<readonly TenantView[]> {
    return (await this.#json<{ tenants: TenantView[] }>("GET", "/v1/admin/tenants")).tenants;
  }

  /** One tenant, with its limits and what it uses. */
  getTenant(tenant: string): Promise<TenantView> {
    return this.#json("GET", `/v1/admin/tenants/${part(tenant)}`);
  }

  /** Makes a tenant, or changes its settings; what is not given goes back to its default. */
  putTenant(
    tenant: string,
    settings: {
      readonly disabled?: boolean;
      readonly signedOnly?: boolean;
      readonly limits?: Partial<TenantLimits>;
    } = {},
  ): Promise<TenantView> {
    return this.#json("PUT", `/v1/admin/tenants/${part(tenant)}`, { json: settings });
  }

  /** Ends a tenant. Its packs, keys and audit stay stored. */
  removeTenant(tenant: string): Promise<void> {
    return this.#json("DELETE", `/v1/admin/tenants/${part(tenant)}`);
  }

  /** Hooks of all tenants or of one, with what they use. */
  async getAllHooks(tenant?: string): Promise<readonly HookView[]> {
    return (await this.#json<{ hooks: HookView[] }>("GET", `/v1/admin/hooks${of(tenant)}`)).hooks;
  }

  /** The last failures of hooks, of all tenants or of one. */
  async getFaults(tenant?: string): Promise<readonly FaultView[]> {
    return (await this.#json<{ faults: FaultView[] }>("GET", `/v1/admin/faults${of(tenant)}`)).faults;
  }

  /** Hooks that are not run, because they failed again and again. */
  async getQuarantine(tenant?: string): Promise<readonly QuarantineEntry[]> {
    const path = `/v1/admin/quarantine${of(tenant)}`;
    return (await this.#json<{ quarantine: QuarantineEntry[] }>("GET", path)).quarantine;
  }

  /** Lets a hook run again. @param id of the entry, as `getQuarantine` has it */
  liftQuarantine(id: string): Promise<void> {
    return this.#json("DELETE", `/v1/admin/quarantine/${part(id)}`);
  }

  /** How long decisions took in the last minute, in microseconds, waiting included. */
  getLatency(): Promise<{
    readonly all: LatencyView;
    readonly tenants: { readonly [tenant: string]: LatencyView };
  }> {
    return this.#json("GET", "/v1/admin/latency");
  }

  /** Decisions, rollouts and quarantines as they happen, of all tenants or of one, until the signal ends it. */
  async *watch(tenant?: string, signal?: AbortSignal): AsyncGenerator<LiveEvent> {
    const stream = await this.#stream(`/v1/admin/live${of(tenant)}`, signal);
    yield* readServerSentEvents(stream) as AsyncGenerator<LiveEvent>;
  }

  /**
   * Makes a key: of a tenant with scopes, or, with `tenant: null`, an operator's. Its text is in the answer and nowhere
   * else. `expires` is a time in ISO 8601; default: never.
   */
  makeKey(of: {
    readonly tenant: string | null;
    readonly name: string;
    readonly scopes?: readonly Scope[];
    readonly expires?: string | null;
  }): Promise<{ readonly key: string; readonly record: KeyView }> {
    return this.#json("POST", "/v1/admin/keys", { json: of });
  }

  /** Keys of everybody or of one tenant, without their texts. */
  async getKeys(tenant?: string): Promise<readonly KeyView[]> {
    return (await this.#json<{ keys: KeyView[] }>("GET", `/v1/admin/keys${of(tenant)}`)).keys;
  }

  /** Ends a key at once. @param id of its record */
  revokeKey(id: string): Promise<void> {
    return this.#json("DELETE", `/v1/admin/keys/${part(id)}`);
  }

  async #json<T>(method: string, path: string, request: Request = {}): Promise<T> {
    const signals = [AbortSignal.timeout(this.#timeoutMs), ...(request.signal ? [request.signal] : [])];
    const response = await this.#ask(method, path, request, AbortSignal.any(signals));
    const text = await response.text().catch((error: unknown) => {
      throw unreachable(this.#url, error);
    });
    if (text === "") return undefined as T;
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      throw invalidAnswer(error);
    }
  }

  async #stream(path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#ask("GET", path, {}, signal);
    if (!body) throw unreachable(this.#url, null);
    return body;
  }

  async #ask(
    method: string,
    path: string,
    request: Request,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const { json, bytes, stream, headers } = request;
    const body = stream ?? bytes ?? (json === undefined ? undefined : JSON.stringify(json));
    const type = stream ? "application/x-ndjson" : bytes ? "application/gzip" : "application/json";
    let response: Response;
    try {
      response = await this.#fetch(`${this.#url}${path}`, {
        method,
        redirect: "error",
        headers: {
          ...headers,
          ...(this.#key === undefined ? {} : { authorization: `Bearer ${this.#key}` }),
          ...(body === undefined ? {} : { "content-type": type }),
        },
        ...(body === undefined ? {} : { body }),
        // What `fetch` wants to be told where its body is a stream.
        ...(stream ? { duplex: "half" } : {}),
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      throw unreachable(this.#url, error);
    }
    if (response.ok) return response;
    throw await problemOf(response);
  }
}

interface Request {
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Lines of JSON. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly headers?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
}

/**
 * A client of a server.
 *
 * @example
 *     const client = createClient({ url: "http://127.0.0.1:8787", key });
 *     const { verdict, reason } = await client.decide(event);
 */
export function createClient(options: ClientOptions): Client {
  return new Client(options);
}

function asked({ idempotencyKey, traceparent, signal }: DecideOptions): Request {
  return {
    headers: {
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    ...(signal ? { signal } : {}),
  };
}

/** Whether it can be one: what has no verdict, a host would take for one that stops nothing. */
function isDecision(answer: unknown): answer is Decision {
  return typeof (answer as { verdict?: unknown } | null | undefined)?.verdict === "string";
}

function isAnswered(one: unknown): one is Answered<Decision> {
  const { status, answer, code } = (one ?? {}) as { status?: unknown; answer?: unknown; code?: unknown };
  return status === 200 ? isDecision(answer) : typeof status === "number" && typeof code === "string";
}

function uploaded(pack: PackUpload): Request {
  return pack instanceof Uint8Array ? { bytes: pack } : { json: pack };
}

function packs(tenant: string): string {
  return `/v1/tenants/${part(tenant)}/packs`;
}

function of(tenant: string | undefined): string {
  return tenant === undefined ? "" : `?tenant=${part(tenant)}`;
}

const part = encodeURIComponent;

function queryOf(values: object): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) query.set(name, String(value));
  return query;
}
