import { randomBytes } from "node:crypto";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { OwnRequest, Side } from "./context.ts";
import { currentRequest } from "./current-request.ts";
import { OrderedOutbox } from "./ordered-outbox.ts";
import type { Answer, Call } from "./mediation.ts";
import { idKey, isObject, isRequestId, type RawMessage, type RequestId } from "./message.ts";
import type { ProxyTransport } from "./transport.ts";

/** Backpressure: with this many messages waiting in one direction, reading from the other side pauses. */
const highWaterMark = 512;

/** Maximum number of cancelled request ids that are remembered. */
const maxCancelledIds = 4_096;

/** The request of the client that a message of the server belongs to. */
const relatedRequests = new WeakMap<object, RequestId>();

/** Callbacks of a peer to its session. */
export interface PeerEvents {
  /** The transport failed to send a message. */
  readonly onsenderror: (message: RawMessage, error: unknown) => void;
  /** A message was sent, so reading from the other side may resume. */
  readonly ondrain: () => void;
}

/** One side of a session, with the messages to it and its pending requests. */
export class Peer {
  readonly side: Side;
  readonly transport: ProxyTransport;
  /** The messages to it, in order. */
  readonly outbox: OrderedOutbox;
  /** Its requests without an answer. */
  readonly calls = new Map<string, Call>();
  readonly #events: PeerEvents;
  /** Ids of requests that it cancelled; answers to them may still arrive. */
  readonly #cancelledIds = new Set<string>();
  /** Pending requests of the proxy itself to this peer, with the callbacks for their answers. */
  readonly #own = new Map<string, (answer: Answer | null) => void>();
  readonly #idPrefix = `hookwarden-${randomBytes(9).toString("base64url")}-`;
  #asked = 0;
  /** Messages that its transport has not finished sending. */
  #unsent = 0;
  #paused = false;

  constructor(side: Side, transport: ProxyTransport, events: PeerEvents) {
    this.side = side;
    this.transport = transport;
    this.#events = events;
    this.outbox = new OrderedOutbox((message) => this.#send(message));
  }

  /** Whether an answer with this id could be mistaken for the answer to another request. */
  isIdInUse(key: string): boolean {
    return this.calls.has(key) || this.#cancelledIds.has(key);
  }

  /** Records the cancellation of a request that the other side has received. */
  noteCancelled(key: string): void {
    const [oldest] = this.#cancelledIds;
    if (oldest !== undefined && this.#cancelledIds.size >= maxCancelledIds) this.#cancelledIds.delete(oldest);
    this.#cancelledIds.add(key);
  }

  /** Whether so many messages wait for it that reading from the other side should pause. */
  get isAboveHighWaterMark(): boolean {
    return this.outbox.waiting + this.#unsent >= highWaterMark;
  }

  /** Pauses or resumes reading from it, depending on the other side's queue. */
  applyBackpressure(other: Peer): void {
    if (other.isAboveHighWaterMark === this.#paused) return;
    this.#paused = other.isAboveHighWaterMark;
    if (this.#paused) this.transport.pause?.();
    else this.transport.resume?.();
  }

  /**
   * Sends it a request of the proxy itself.
   *
   * @returns the result. @throws on an error, a timeout or an abort.
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
      throw new Error(signal?.aborted ? "the call was cancelled" : `the ${this.side} did not answer`);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      this.#own.delete(key);
    }
  }

  /** Delivers an answer to a request of the proxy itself. @returns whether it was one. */
  settle(key: string, answer: Answer | null): boolean {
    const waiting = this.#own.get(key);
    waiting?.(answer);
    return this.#own.delete(key);
  }

  /** Fails the pending requests of the proxy itself. */
  failOwnRequests(): void {
    for (const waiting of this.#own.values()) waiting(null);
  }

  /** Records which of the client's requests a message of the server belongs to. */
  static recordOrigin(message: object): void {
    const related = currentRequest.getStore();
    if (related !== undefined) relatedRequests.set(message, related);
  }

  /** Records that a replacement message belongs to the same request as the original. */
  static copyOrigin(message: object, from: object): void {
    const related = relatedRequests.get(from);
    if (related !== undefined) relatedRequests.set(message, related);
  }

  #send(message: RawMessage, relatedTo?: RequestId): void {
    this.#unsent++;
    // The message is queued when this returns; completion is handled in the background.
    void this.#deliver(message, relatedTo);
  }

  async #deliver(message: RawMessage, relatedTo?: RequestId): Promise<void> {
    try {
      await this.#transmit(message, relatedTo);
    } catch (error) {
      const { id } = message;
      // Fail a request of the proxy itself now, not at its timeout.
      const own = isRequestId(id) && message["method"] !== undefined && this.settle(idKey(id), null);
      if (!own) this.#events.onsenderror(message, error);
    } finally {
      this.#unsent--;
      this.#events.ondrain();
    }
  }

  #transmit(message: RawMessage, relatedTo?: RequestId): Promise<void> {
    const { transport } = this;
    const wire = message as unknown as JSONRPCMessage;
    if (this.side === "server") {
      const { id, method } = message;
      return currentRequest.run(isRequestId(id) && method !== undefined ? id : undefined, () =>
        transport.send(wire),
      );
    }
    const relatedRequestId = relatedTo ?? this.#relatedRequest(message);
    if (relatedRequestId === undefined) return transport.send(wire);
    // The request may have been answered by now and its stream closed.
    return transport.send(wire, { relatedRequestId }).catch(() => transport.send(wire));
  }

  /** The client's request that a message of the server belongs to, if it is known. */
  #relatedRequest(message: RawMessage): RequestId | undefined {
    const { method, params } = message;
    if (method === undefined) return undefined;
    const known = relatedRequests.get(message);
    if (known !== undefined && this.calls.has(idKey(known))) return known;
    if (method === "notifications/progress" && isObject(params)) {
      for (const call of this.calls.values()) {
        const meta = call.params["_meta"];
        if (isObject(meta) && meta["progressToken"] === params["progressToken"]) return call.id;
      }
    }
    if (!this.transport.needsRelatedRequest) return undefined;
    const [oldest] = this.calls.values();
    return oldest?.id;
  }
}

function textOf(error: unknown): string {
  return isObject(error) ? String(error["message"]) : "it was refused";
}
