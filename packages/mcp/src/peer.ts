import { randomBytes } from "node:crypto";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { OwnRequest, Side } from "./context.ts";
import { course } from "./course.ts";
import { Lane } from "./lane.ts";
import type { Answer, Call } from "./mediation.ts";
import { idKey, isObject, isRequestId, type RawMessage, type RequestId } from "./message.ts";
import type { ProxyTransport } from "./transport.ts";

/** From how many messages on, waiting in one direction, no more are read from where they come. */
const crowded = 512;

/** Most ids of requests that were taken back that are remembered. */
const maxSpent = 4_096;

/** The request of the client that a message of the server belongs to. */
const courses = new WeakMap<object, RequestId>();

/** What a party tells its session. */
export interface PartyEvents {
  /** A message could not be handed to the transport. */
  readonly onundelivered: (message: RawMessage, error: unknown) => void;
  /** There is room again for what comes from the other side. */
  readonly onroom: () => void;
}

/** One side of a session: what it is sent, and what it waits for. */
export class Party {
  readonly side: Side;
  readonly transport: ProxyTransport;
  /** What goes to it, in order. */
  readonly lane: Lane;
  /** Its requests that are not answered. */
  readonly calls = new Map<string, Call>();
  readonly #events: PartyEvents;
  /** Ids of requests that it has taken back, and that may be answered all the same. */
  readonly #spent = new Set<string>();
  /** Requests of the proxy itself to it, and who waits for their answers. */
  readonly #own = new Map<string, (answer: Answer | null) => void>();
  readonly #idPrefix = `hookwarden-${randomBytes(9).toString("base64url")}-`;
  #asked = 0;
  /** Messages that have been handed to its transport and not been taken. */
  #unsent = 0;
  #paused = false;

  constructor(side: Side, transport: ProxyTransport, events: PartyEvents) {
    this.side = side;
    this.transport = transport;
    this.#events = events;
    this.lane = new Lane((message) => this.#send(message));
  }

  /** Whether an answer under an id could be taken for that to another request. */
  hasUsed(key: string): boolean {
    return this.calls.has(key) || this.#spent.has(key);
  }

  /** Notes that a request was taken back which the other side knows of. */
  spend(key: string): void {
    const [oldest] = this.#spent;
    if (oldest !== undefined && this.#spent.size >= maxSpent) this.#spent.delete(oldest);
    this.#spent.add(key);
  }

  /** Whether more waits to go to it than should. */
  get crowded(): boolean {
    return this.lane.waiting + this.#unsent >= crowded;
  }

  /** Reads from it only where there is room at the other side. */
  pace(other: Party): void {
    if (other.crowded === this.#paused) return;
    this.#paused = other.crowded;
    if (this.#paused) this.transport.pause?.();
    else this.transport.resume?.();
  }

  /**
   * Asks it something in the proxy's own name.
   *
   * @returns the result. @throws where there is none: an error, no answer in time, or nobody who waits any more.
   */
  async ask({ method, params, timeoutMs, signal, relatedTo }: Omit<OwnRequest, "to">): Promise<unknown> {
    const id = `${this.#idPrefix}${++this.#asked}`;
    const key = idKey(id);
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    this.#own.set(key, resolve);
    const timer = setTimeout(() => resolve(null), timeoutMs);
    const abort = (): void => resolve(null);
    signal?.addEventListener("abort", abort);
    try {
      this.#send({ jsonrpc: "2.0", id, method, params }, relatedTo);
      const answer = await promise;
      if (answer?.kind === "result") return answer.result;
      if (answer) throw new Error(textOf(answer.error));
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
      this.#send(cancelled, relatedTo);
      throw new Error(signal?.aborted ? "the call was taken back" : `the ${this.side} did not answer`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#own.delete(key);
    }
  }

  /** Hands over an answer to the proxy's own request. @returns whether it was one. */
  settle(key: string, answer: Answer | null): boolean {
    const waiting = this.#own.get(key);
    waiting?.(answer);
    return this.#own.delete(key);
  }

  /** Nobody waits for answers to the proxy's own requests any more. */
  abandon(): void {
    for (const waiting of this.#own.values()) waiting(null);
  }

  /** Notes in the course of which of the client's requests the server has sent a message. */
  static note(message: object): void {
    const related = course.getStore();
    if (related !== undefined) courses.set(message, related);
  }

  /** A message that takes another one's place belongs to the same request. */
  static inherit(message: object, from: object): void {
    const related = courses.get(from);
    if (related !== undefined) courses.set(message, related);
  }

  #send(message: RawMessage, relatedTo?: RequestId): void {
    this.#unsent++;
    // It is on its way when this returns; what is waited for is that it is taken.
    void this.#deliver(message, relatedTo);
  }

  async #deliver(message: RawMessage, relatedTo?: RequestId): Promise<void> {
    try {
      await this.#transmit(message, relatedTo);
    } catch (error) {
      const { id } = message;
      // Who asks in the proxy's own name need not wait for its time to run out.
      const own = isRequestId(id) && message["method"] !== undefined && this.settle(idKey(id), null);
      if (!own) this.#events.onundelivered(message, error);
    } finally {
      this.#unsent--;
      this.#events.onroom();
    }
  }

  #transmit(message: RawMessage, relatedTo?: RequestId): Promise<void> {
    const { transport } = this;
    const wire = message as unknown as JSONRPCMessage;
    if (this.side === "server") {
      const { id, method } = message;
      return course.run(isRequestId(id) && method !== undefined ? id : undefined, () => transport.send(wire));
    }
    const relatedRequestId = relatedTo ?? this.#courseOf(message);
    if (relatedRequestId === undefined) return transport.send(wire);
    // The request may have been answered in the meantime, and its stream be closed.
    return transport.send(wire, { relatedRequestId }).catch(() => transport.send(wire));
  }

  /** The client's request that a message of the server belongs to, as far as anything says so. */
  #courseOf(message: RawMessage): RequestId | undefined {
    const { method, params } = message;
    if (method === undefined) return undefined;
    const known = courses.get(message);
    if (known !== undefined && this.calls.has(idKey(known))) return known;
    if (method === "notifications/progress" && isObject(params)) {
      for (const call of this.calls.values()) {
        const meta = call.params["_meta"];
        if (isObject(meta) && meta["progressToken"] === params["progressToken"]) return call.id;
      }
    }
    if (!this.transport.needsCourse) return undefined;
    const [oldest] = this.calls.values();
    return oldest?.id;
  }
}

function textOf(error: unknown): string {
  return isObject(error) ? String(error["message"]) : "it was refused";
}
