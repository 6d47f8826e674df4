import type { Decision } from "hookwarden/broker";
import type { PackRevision, Rollout } from "@hookwarden/server";
import type { HookDescription } from "hookwarden/warden";
import { ApprovalClient } from "./approval-client.ts";
import { type StreamProgress, eventBody, readJsonLines } from "./json-lines.ts";
import { queryOf, segment } from "./paths.ts";
import { invalidAnswer, unreachable } from "./server-error.ts";
import { type Request, Transport } from "./transport.ts";
import type {
  Answered,
  ClientOptions,
  ApprovalOptions,
  DecideOptions,
  PackCheck,
  PackState,
  PackUpload,
  Trial,
  Tried,
  UploadOptions,
} from "./types.ts";

/** Asks a server. Every method rejects with a `ServerError` where the server does not do what it was asked for. */
export class Client extends ApprovalClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /**
   * Decides one event, with the pack of the tenant that the key is for. Needs the scope `decide`, as all decisions do.
   *
   * @throws {ServerError} where there is no decision: that is no permission. `no-pack`, `event-invalid`, `rate-limited`,
   *   `unreachable` and others; docs/server.md has them all.
   */
  async decide(event: object, options: DecideOptions = {}): Promise<Decision> {
    const answer = await this.#transport.json<unknown>("POST", "/v1/decisions", {
      json: event,
      ...asked(options),
    });
    if (!isDecision(answer)) throw invalidAnswer();
    return answer;
  }

  /** Decides up to 256 events; answers stand in the order of the events, and each has a status of its own. */
  async decideBatch(
    events: readonly object[],
    options: DecideOptions = {},
  ): Promise<readonly Answered<Decision>[]> {
    const answers = await this.#transport.json<unknown>("POST", "/v1/decisions", {
      json: events,
      ...asked(options),
    });
    if (!Array.isArray(answers) || answers.length !== events.length || !answers.every(isAnswered))
      throw invalidAnswer();
    return answers;
  }

  /**
   * Decides events as they come, over one connection: answers come in the order of the events, and each has a status of its
   * own. Events are asked for no faster than the server takes them. Not bound by `timeoutMs`; a `signal` ends it. Needs a
   * `fetch` that sends streams over HTTP/1.1, as those of Node.js, Deno and Bun do.
   *
   * @param options.approvalSeconds opens an approval for each event whose decision is `ask`; its id is in `approval`. Wait
   *   for it with `waitForApproval`, and compare its `input` with the SHA-256 of the event's JSON text. Default: none.
   * @throws {ServerError} where the stream as a whole is refused or ends early: events without an answer were refused.
   *
   * @example
   *     for await (const answered of client.decideStream(events)) {
   *       if ("answer" in answered) console.log(answered.answer.verdict);
   *     }
   */
  async *decideStream(
    events: AsyncIterable<object> | Iterable<object>,
    options: Omit<ApprovalOptions, "idempotencyKey"> = {},
  ): AsyncGenerator<Answered<Decision>> {
    const progress: StreamProgress = { unanswered: 0, ended: false };
    const ending = new AbortController();
    const signals = [ending.signal, ...(options.signal ? [options.signal] : [])];
    const stream = eventBody(events, progress);
    try {
      const request = { ...asked(options), stream };
      const { body } = await this.#transport.send("POST", "/v1/decisions", request, AbortSignal.any(signals));
      if (!body) throw unreachable(this.#transport.url, null);
      for await (const answered of readJsonLines(body, this.#transport.url)) {
        if (!isAnswered(answered)) throw invalidAnswer();
        progress.unanswered--;
        yield answered;
      }
      // A server that shuts down ends the response in order, though more events were to come.
      if (!progress.ended || progress.unanswered !== 0) throw unreachable(this.#transport.url, null);
    } finally {
      ending.abort();
    }
  }

  /**
   * Decides one message of another system, and answers in that system's words.
   *
   * @param options.approvalSeconds if the decision is `ask`, a person is asked, and the answer waits for it: at most 50
   *   seconds, and below `timeoutMs`. Without approval in time it is a refusal. Default: the answer asks the client's user.
   */
  decideInDialect(dialect: string, message: object, options: ApprovalOptions = {}): Promise<unknown> {
    return this.#transport.json("POST", `/v1/dialects/${segment(dialect)}/decisions`, {
      json: message,
      ...asked(options),
    });
  }

  /**
   * Uploads a pack, which takes the place of the one that serves, or goes on trial. Needs the scope `packs`, as all that
   * follows up to `getHooks`.
   *
   * @throws {ServerError} `bundle-invalid`, `pack-invalid` and others; `checkPack` returns the message.
   */
  putPack(
    tenant: string,
    pack: PackUpload,
    options: UploadOptions = {},
  ): Promise<{ readonly revision: PackRevision; readonly rollout: Rollout | null }> {
    const query = queryOf(options);
    return this.#transport.json("PUT", `${packs(tenant)}?${query}`, uploaded(pack));
  }

  /** Checks a pack as an upload would, without storing it. */
  checkPack(tenant: string, pack: PackUpload): Promise<PackCheck> {
    return this.#transport.json("POST", `${packs(tenant)}/check`, uploaded(pack));
  }

  /** What serves, what is on trial, and the last fifty revisions and changes. */
  getPacks(tenant: string): Promise<PackState> {
    return this.#transport.json("GET", packs(tenant));
  }

  /** Leaves the tenant without a pack: every event is refused from then on. */
  removePack(tenant: string): Promise<Rollout> {
    return this.#transport.json("DELETE", packs(tenant));
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
    return this.#transport.json("POST", `${packs(tenant)}/activate`, { json: step });
  }

  /** Goes back to a revision that served before; without one, to the one before the present. */
  rollbackPack(tenant: string, step: { readonly revision?: number } = {}): Promise<Rollout> {
    return this.#transport.json("POST", `${packs(tenant)}/rollback`, { json: step });
  }

  /** Ends a trial. The pack that serves goes on. */
  withdrawPack(tenant: string): Promise<Rollout> {
    return this.#transport.json("POST", `${packs(tenant)}/withdraw`);
  }

  /** Decides events with a pack that need not serve. Nothing is kept of it. */
  async try(tenant: string, trial: Trial): Promise<readonly Tried<Decision>[]> {
    const path = `/v1/tenants/${segment(tenant)}/try`;
    return (
      await this.#transport.json<{ results: readonly Tried<Decision>[] }>("POST", path, { json: trial })
    ).results;
  }

  /** The hooks that serve, in their order, with what each may see and do. */
  async getHooks(tenant: string): Promise<readonly HookDescription[]> {
    return (
      await this.#transport.json<{ hooks: HookDescription[] }>("GET", `/v1/tenants/${segment(tenant)}/hooks`)
    ).hooks;
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
    const path = `/v1/tenants/${segment(tenant)}/audit`;
    return (
      await this.#transport.json<{
        chains: { node: string; records: number; hash: string; closed: boolean }[];
      }>("GET", path)
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
    const path = `/v1/tenants/${segment(tenant)}/audit/${segment(node)}?${query}`;
    return this.#transport.stream(path);
  }
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

function asked({ idempotencyKey, traceparent, signal, approvalSeconds }: ApprovalOptions): Request {
  return {
    headers: {
      ...(approvalSeconds === undefined ? {} : { "hookwarden-approval": String(approvalSeconds) }),
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
  return `/v1/tenants/${segment(tenant)}/packs`;
}
