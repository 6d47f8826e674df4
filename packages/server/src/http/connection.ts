import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { HttpLimits } from "../limits.ts";
import { type BrokenRequest, brokenResponse, lateRequest, sendBroken } from "./broken-request.ts";
import type { Exchange } from "./exchange.ts";

/** Answers one exchange. It may only begin when its turn has come. */
export type Handler = (exchange: Exchange) => void;

export interface ConnectionOptions {
  readonly handle: Handler;
  readonly limits: HttpLimits;
  /** Makes the id of a request. */
  readonly makeId: () => string;
  /** Called with the status of each malformed request, which is answered here. */
  readonly onBroken: (status: number) => void;
}

interface Pending {
  readonly exchange: Exchange;
  readonly deadline: NodeJS.Timeout | undefined;
  /** Where its form is wrong, or its body is not all there in time: what to answer instead. */
  broken: BrokenRequest | null;
}

/**
 * The requests of one connection, which are handled one after another: a request behind one whose response closes the
 * connection is never begun, and responses keep the order of the requests.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #handle: Handler;
  readonly #limits: HttpLimits;
  readonly #makeId: () => string;
  readonly #onBroken: (status: number) => void;
  /** The one being handled comes first. */
  readonly #pending: Pending[] = [];
  /** What to answer behind all others, where something came that is not HTTP. */
  #broken: BrokenRequest | null = null;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#handle = options.handle;
    this.#limits = options.limits;
    this.#makeId = options.makeId;
    this.#onBroken = options.onBroken;
  }

  /** Whether nothing is being answered. */
  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  /** Takes in a request, and handles it when those before it have been answered. */
  accept(request: IncomingMessage, response: ServerResponse, broken: BrokenRequest | null = null): void {
    if (this.#pending.length >= this.#limits.pipelined) return void this.#socket.destroy();
    const { headers } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    const deadline = hasBody
      ? setTimeout(() => this.#onLate(request), this.#limits.requestMs).unref()
      : undefined;
    const exchange: Exchange = {
      id: this.#makeId(),
      request,
      response,
      route: null,
      principal: null,
      endDeadline: () => clearTimeout(deadline),
    };
    response.once("close", () => this.#onResponded());
    if (this.#pending.push({ exchange, deadline, broken }) === 1) this.#begin();
  }

  /** The parser has failed: nothing more can be read from the connection. */
  fail(broken: BrokenRequest): void {
    if (this.#broken) return;
    this.#broken = broken;
    const last = this.#pending.at(-1);
    if (!last) return this.#sendBroken(broken);
    if (last.exchange.request.complete) return;
    last.broken = broken;
    if (this.#pending.length === 1) this.#answerBroken(last.exchange, broken);
  }

  #begin(): void {
    const next = this.#pending[0];
    if (!this.#socket.writable) return;
    if (!next) {
      if (this.#broken) this.#sendBroken(this.#broken);
      return;
    }
    if (next.broken) this.#answerBroken(next.exchange, next.broken);
    else this.#handle(next.exchange);
  }

  #answerBroken({ response }: Exchange, broken: BrokenRequest): void {
    // A response that has begun cannot become another one; cut off, it is not taken for the whole.
    if (response.headersSent) return void this.#socket.destroySoon();
    this.#onBroken(broken.status);
    brokenResponse(response, broken);
  }

  #sendBroken(broken: BrokenRequest): void {
    this.#onBroken(broken.status);
    sendBroken(this.#socket, broken);
  }

  #onResponded(): void {
    const done = this.#pending.shift();
    if (done?.exchange.request.complete) clearTimeout(done.deadline);
    this.#begin();
  }

  #onLate(request: IncomingMessage): void {
    if (request.complete || this.#socket.destroyed) return;
    const isAnswered = !this.#pending.some(({ exchange }) => exchange.request === request);
    if (isAnswered) this.#socket.destroy();
    else this.fail(lateRequest);
  }
}
