import { headers, type Msg, type Subscription } from "@nats-io/transport-node";
import type { DecisionService } from "../decision-service.ts";
import { problemTable } from "../problem.ts";
import { Claims, type KeptAnswer } from "./claims.ts";
import type { NatsLink } from "./link.ts";
import { type FleetNames, tenantOf } from "./names.ts";

/**
 * Headers of questions and answers. Statuses are those of HTTP. 102: no answer from here; another node may be on it. 429
 * and 503: the node that had claimed the question has not decided it, and will not.
 */
export const channelHeaders = {
  id: "Hookwarden-Decision-Id",
  epoch: "Hookwarden-Epoch",
  dialect: "Hookwarden-Dialect",
  traceparent: "traceparent",
  status: "Hookwarden-Status",
  node: "Hookwarden-Node",
} as const;

export interface DecisionChannelOptions {
  readonly names: FleetNames;
  readonly node: string;
  /** How many NATS servers keep each claim. Default 1. */
  readonly replicas?: number;
  /** Most questions under way; more are sent back, for another node. Default 1,000. */
  readonly maxInFlight?: number;
}

const idPattern = /^[\x21-\x7e]{1,128}$/;
const nothing = new Uint8Array(0);

/**
 * Answers questions that come over NATS: any node of the fleet takes one from the queue group, and claims it before it
 * decides. Whose question it is stands in the subject, so that NATS's own permissions say who may ask for whom.
 */
export class DecisionChannel {
  readonly #link: NatsLink;
  readonly #service: DecisionService;
  readonly #options: DecisionChannelOptions;
  readonly #claims: Claims;
  readonly #subscriptions: Subscription[] = [];
  readonly #inFlight = new Set<Promise<void>>();

  constructor(link: NatsLink, service: DecisionService, options: DecisionChannelOptions) {
    this.#link = link;
    this.#service = service;
    this.#options = options;
    this.#claims = new Claims(link, options.names, options.replicas);
  }

  /** Begins to take questions. The subscriptions outlive the loss of the connection. */
  start(): void {
    const { nc } = this.#link.parts();
    const { names, node } = this.#options;
    const callback = (error: Error | null, message: Msg): void => {
      if (!error) this.#take(message);
    };
    this.#subscriptions.push(
      nc.subscribe(names.decideAll, { queue: names.queue, callback }),
      nc.subscribe(names.decideAtAll(node), { callback }),
    );
  }

  /** Takes no more questions, and resolves when those that were taken are answered. */
  async drain(): Promise<void> {
    await Promise.all(this.#subscriptions.splice(0).map((one) => one.drain().catch(() => undefined)));
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #take(message: Msg): void {
    if (this.#inFlight.size >= (this.#options.maxInFlight ?? 1_000)) {
      // Not 503: another node may have claimed it.
      this.#reply(message, { status: 102, body: nothing });
      return;
    }
    const work = this.#answer(message).then(
      (answer) => this.#reply(message, answer),
      // The claim is in doubt, so "nothing was decided" would be a guess: a retry finds out.
      () => this.#reply(message, { status: 102, body: nothing }),
    );
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  async #answer(message: Msg): Promise<KeptAnswer> {
    const said = message.headers;
    const tenant = tenantOf(message.subject.slice(message.subject.lastIndexOf(".") + 1));
    const id = said?.get(channelHeaders.id) ?? "";
    const epoch = Number(said?.get(channelHeaders.epoch) || "0");
    if (tenant === null || !idPattern.test(id) || !(Number.isSafeInteger(epoch) && epoch >= 0)) {
      return {
        status: 400,
        body: problem("option-invalid", "a question needs a tenant, an id and an epoch"),
      };
    }
    const asked = { tenant, id, epoch };
    if (!(await this.#claims.claim(asked))) {
      return (await this.#claims.answer(asked)) ?? { status: 102, body: nothing };
    }
    const dialect = said?.get(channelHeaders.dialect) || undefined;
    const traceparent = said?.get(channelHeaders.traceparent) || undefined;
    const { status, body, detail } = await this.#service.decide({
      tenant,
      body: message.data,
      decisionId: id,
      ...(dialect === undefined ? {} : { dialect }),
      ...(traceparent === undefined ? {} : { traceparent }),
    });
    const bytes = status === 200 ? Buffer.from(body) : problem(body, detail?.message ?? reasonFor(body));
    const fits = bytes.length + 4_096 <= this.#link.maxPayload;
    const answer = fits
      ? { status, body: bytes }
      : {
          status: 500,
          body: problem("event-too-large", "the decision is larger than a message of NATS may be"),
        };
    this.#claims.keep(asked, answer);
    return answer;
  }

  #reply(message: Msg, { status, body }: KeptAnswer): void {
    if (!message.reply) return;
    const fields = headers();
    fields.set(channelHeaders.status, String(status));
    fields.set(channelHeaders.node, this.#options.node);
    try {
      message.respond(body, { headers: fields });
    } catch {
      // The connection is gone; who asked asks again.
    }
  }
}

function reasonFor(code: string): string {
  const row = Object.entries(problemTable).find(([name]) => name === code)?.[1];
  return `the node refused the event: \`${code}\`${row ? `: ${row.means}` : ""}`;
}

function problem(code: string, detail: string): Uint8Array {
  return Buffer.from(JSON.stringify({ code, detail }));
}
