import { setTimeout as sleep } from "node:timers/promises";
import { headers, NoRespondersError, RequestError } from "@nats-io/transport-node";
import { makeDecisionId, type Decision, type Verdict } from "hookwarden/broker";
import { eventRows } from "hookwarden/catalogue";
import { type ErrorCode, errorTable, HookwardenError } from "hookwarden/errors";
import { channelHeaders } from "./decision-channel.ts";
import { NatsLink, type NatsOptions } from "./link.ts";
import { fleetNames } from "./names.ts";

export interface NatsClientOptions extends NatsOptions {
  /** Prefix of the fleet's names. Default `hookwarden`. */
  readonly prefix?: string;
  /** How long a decision may take, asking again included, in milliseconds; at most 60,000. Default 5,000. */
  readonly deadlineMs?: number;
  /** After how many milliseconds without an answer another node is asked too. Default 400. */
  readonly attemptMs?: number;
  /** The failure policy if no node answers: `closed` (default) stops what can be stopped, `open` lets it continue. */
  readonly onFailure?: "closed" | "open";
}

export interface AskOptions {
  /** Default: a new UUID of version 7. The same id is never decided twice within two minutes. */
  readonly decisionId?: string;
  readonly deadlineMs?: number;
  readonly traceparent?: string;
}

/** What a question has come to. */
export type NatsAnswer =
  | { readonly answered: true; readonly decision: Decision; readonly node: string; readonly attempts: number }
  | {
      /** No node answered in time: the verdict is that of the failure policy. */
      readonly answered: false;
      readonly decision_id: string;
      readonly verdict: Verdict;
      readonly reason: string;
      readonly attempts: number;
    };

/** What came back for one attempt. */
interface Heard {
  readonly status: number;
  readonly node: string;
  readonly body: Uint8Array;
}

interface Question {
  readonly tenant: string;
  readonly id: string;
  readonly body: string;
  readonly traceparent: string | undefined;
  readonly until: number;
  epoch: number;
  attempts: number;
}

/** Nodes that have answered within this time are asked by name when another one does not answer. In milliseconds. */
const freshMs = 5_000;
const maxDeadlineMs = 60_000;

/**
 * Asks a fleet for decisions over NATS: any node, and, where one does not answer, another one under the same id, which
 * is decided once. If no node answers in time, the failure policy applies.
 */
export class NatsDecisionClient {
  readonly #link: NatsLink;
  readonly #options: NatsClientOptions;
  readonly #names: ReturnType<typeof fleetNames>;
  /** When nodes have answered last, the last one at the end. */
  readonly #alive = new Map<string, number>();

  constructor(options: NatsClientOptions) {
    this.#names = fleetNames(options.prefix);
    checkMs("deadlineMs", options.deadlineMs);
    checkMs("attemptMs", options.attemptMs);
    this.#options = options;
    this.#link = new NatsLink({ name: "hookwarden client", ...options });
  }

  /** Resolves when there is a connection for the first time. */
  up(): Promise<void> {
    return this.#link.up();
  }

  /**
   * @param event one event, as the library's `dispatch` takes it.
   * @throws {HookwardenError} for an event that cannot be decided. A host that gates something must treat that as a refusal.
   */
  async decide(tenant: string, event: object, options: AskOptions = {}): Promise<NatsAnswer> {
    checkMs("deadlineMs", options.deadlineMs);
    const deadlineMs = options.deadlineMs ?? this.#options.deadlineMs ?? 5_000;
    const question: Question = {
      tenant,
      id: options.decisionId ?? makeDecisionId(Date.now()),
      body: JSON.stringify(event),
      traceparent: options.traceparent,
      until: performance.now() + deadlineMs,
      epoch: 0,
      attempts: 0,
    };
    if (Buffer.byteLength(question.body) + 4_096 > this.#link.maxPayload)
      throw new HookwardenError("event-too-large", "the event is larger than a message of NATS may be");
    const heard = await this.#ask(question);
    if (!heard) return this.#byPolicy(event, question, deadlineMs);
    const text = Buffer.from(heard.body).toString("utf8");
    if (heard.status === 200) {
      const decision = readDecision(text, question);
      return { answered: true, decision, node: heard.node, attempts: question.attempts };
    }
    throw refusal(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#link.close();
  }

  /** Asks until there is an answer, or the time is over. Earlier attempts may still answer while later ones run. */
  #ask(question: Question): Promise<Heard | null> {
    return new Promise((resolve) => {
      let over = false;
      const end = (heard: Heard | null): void => {
        over = true;
        clearTimeout(timer);
        resolve(heard);
      };
      const timer = setTimeout(() => end(null), Math.max(0, question.until - performance.now()));
      const attempt = async (avoid: string | null, pause: number): Promise<void> => {
        if (pause > 0) await sleep(pause);
        if (over) return;
        question.attempts++;
        const { epoch } = question;
        let next: Promise<void> | null = null;
        const again = (node: string | null, after: number): void => void (next ??= attempt(node, after));
        const patience = setTimeout(() => again(null, 0), this.#options.attemptMs ?? 400);
        const heard = await this.#send(question, avoid);
        clearTimeout(patience);
        if (over) return;
        // There are no responders yet; retry soon.
        if (!heard) return again(null, backoff(question.attempts));
        if (heard.status === 102) return again(heard.node, backoff(question.attempts));
        if (heard.status !== 429 && heard.status !== 503) return end(heard);
        // The claim expired undecided; retry under a new claim.
        if (question.epoch === epoch) question.epoch++;
        again(heard.node, backoff(question.attempts));
      };
      void attempt(null, 0);
    });
  }

  /** @returns `null` if there are no responders. */
  async #send(question: Question, avoid: string | null): Promise<Heard | null> {
    const left = question.until - performance.now();
    if (left <= 0) return null;
    try {
      const { nc } = this.#link.parts();
      const fields = headers();
      fields.set(channelHeaders.id, question.id);
      fields.set(channelHeaders.epoch, String(question.epoch));
      if (question.traceparent !== undefined) fields.set(channelHeaders.traceparent, question.traceparent);
      const subject = this.#subjectFor(question, avoid);
      const { headers: said, data } = await nc.request(subject, question.body, {
        timeout: left,
        headers: fields,
      });
      const node = said?.get(channelHeaders.node) ?? "";
      const status = Number(said?.get(channelHeaders.status));
      if (!Number.isInteger(status)) return null;
      this.#noteAlive(node);
      return { status, node, body: data };
    } catch (error) {
      const cause = error instanceof RequestError ? error.cause : error;
      if (cause instanceof NoRespondersError) this.#alive.clear();
      return null;
    }
  }

  /** First any node; then, since the node that took it may be dead, one that has answered recently. */
  #subjectFor({ tenant, attempts }: Question, avoid: string | null): string {
    if (attempts > 1 && attempts % 2 === 0) {
      const since = performance.now() - freshMs;
      const known = [...this.#alive].reverse().find(([node, at]) => node !== avoid && at > since);
      if (known) return this.#names.decideAt(known[0], tenant);
    }
    return this.#names.decide(tenant);
  }

  #noteAlive(node: string): void {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(node)) return;
    this.#alive.delete(node);
    this.#alive.set(node, performance.now());
    if (this.#alive.size > 64) this.#alive.delete(this.#alive.keys().next().value as string);
  }

  #byPolicy(event: object, { id, attempts }: Question, deadlineMs: number): NatsAnswer {
    const name = (event as { readonly hook_event_name?: unknown }).hook_event_name;
    const row = typeof name === "string" ? eventRows.get(name as never) : undefined;
    if (!row) throw new HookwardenError("event-unknown", "the event has a name that is not in the catalogue");
    const closed = (this.#options.onFailure ?? "closed") === "closed" ? row.closedAs : null;
    const reason = `no node of hookwarden answered within ${deadlineMs} ms`;
    return { answered: false, decision_id: id, verdict: closed ?? "continue", reason, attempts };
  }
}

function backoff(attempts: number): number {
  return Math.min(20 * 2 ** Math.min(attempts, 5), 250) * (0.5 + Math.random());
}

/** Only the answer to this question is one. */
function readDecision(text: string, { tenant, id }: Question): Decision {
  let decision: Partial<Decision> | null = null;
  try {
    decision = JSON.parse(text) as Partial<Decision> | null;
  } catch {
    // Reported below.
  }
  if (decision?.decision_id !== id || decision.tenant !== tenant || typeof decision.verdict !== "string")
    throw new HookwardenError("internal", "what answered over NATS is not the decision that was asked for");
  return decision as Decision;
}

/** An error from the problem that a node reported. */
function refusal(text: string): HookwardenError {
  let problem: { code?: unknown; detail?: unknown; title?: unknown } = {};
  try {
    problem = (JSON.parse(text) ?? {}) as typeof problem;
  } catch {
    // Reported as an unreadable problem.
  }
  const code = typeof problem.code === "string" ? problem.code : "";
  const known = Object.hasOwn(errorTable, code);
  const words = [problem.detail, problem.title].find((word) => typeof word === "string") as
    string | undefined;
  return new HookwardenError(
    known ? (code as ErrorCode) : "server-refused",
    words?.slice(0, 300) ?? "the node refused the event",
  );
}

function checkMs(name: string, value: number | undefined): void {
  if (value !== undefined && !(value >= 1 && value <= maxDeadlineMs))
    throw new HookwardenError("option-invalid", `\`${name}\` must be a number from 1 to ${maxDeadlineMs}`);
}
