import type { SessionContext, Side } from "./context.ts";
import { Answers } from "./answers.ts";
import {
  classify,
  type Classified,
  errorMessage,
  idKey,
  isObject,
  isRequestId,
  originalText,
  type RawMessage,
  type RequestId,
  rpcCodes,
  toWellFormed,
} from "./message.ts";
import { passNotification } from "./notifications.ts";
import type { OrderedOutbox } from "./ordered-outbox.ts";
import { errorText, Parties, type PartiesOptions } from "./parties.ts";
import { Peer } from "./peer.ts";
import { type RequestOptions, Requests } from "./requests.ts";
import type { RefusedText } from "./transport.ts";

export interface SessionOptions extends PartiesOptions, Pick<RequestOptions, "unknownMethods"> {}

/** How a session ended. */
export interface SessionEnd {
  readonly by: Side | "proxy";
  /** In words, where a side did not just close its connection. */
  readonly why: string | null;
}

/**
 * One client and one server, and what passes between them. Whatever is no answer to a request that is under way, comes
 * from the wrong side or can be read in two ways goes nowhere; what has a mediation goes on as hooks leave it;
 * everything else goes on as it came, in its order.
 */
export class Session {
  readonly #parties: Parties;
  readonly #requests: Requests;
  readonly #answers: Answers;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  /** Whether the server has announced that lists of tools change. */
  #announcesToolChanges = false;
  #closing: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    this.#parties = new Parties(options, (to, message, error) => this.#onSendError(to, message, error));
    this.#requests = new Requests(this.#parties, {
      unknownMethods: options.unknownMethods,
      isClosing: () => this.#closing !== null,
    });
    this.#answers = new Answers(this.#parties, (result) => this.#negotiated(result));
  }

  get context(): SessionContext {
    return this.#parties.context;
  }

  /** Settles when the session is over and both connections are closed. */
  get ended(): Promise<SessionEnd> {
    return this.#ended.promise;
  }

  /** How many requests of the client have no answer yet. */
  get pending(): number {
    return this.#parties.client.calls.size;
  }

  /** @throws what a transport throws that cannot be started; the other one is closed then. */
  async start(): Promise<void> {
    const { client, server } = this.#parties;
    for (const party of [client, server]) {
      const { transport, side } = party;
      transport.onmessage = (message) => this.#receive(party, message);
      transport.onrefused = (refused) => this.#refused(party, refused);
      transport.onerror = (error) => this.context.problem(`${side}: ${error.message}`);
      transport.onclose = () => void this.#close({ by: side, why: transport.endedAs ?? null });
    }
    // The server first: a client that is read from sends.
    await server.transport.start();
    try {
      await client.transport.start();
    } catch (error) {
      await server.transport.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#close({ by: "proxy", why: null });
  }

  #receive(from: Peer, given: unknown): void {
    let message = given;
    let what: Classified;
    try {
      // What came as a text has been read strictly; a transport in this process may hand over anything.
      if (isObject(given) && originalText(given) === undefined) message = toWellFormed(given);
      what = classify(message);
    } catch (error) {
      what = { kind: "invalid", id: null, why: errorText(error) };
    }
    const raw = message as RawMessage;
    if (from.side === "server" && isObject(message)) Peer.recordOrigin(message);
    switch (what.kind) {
      case "request":
        this.#requests.receive(from, what, raw);
        break;
      case "notification":
        passNotification(this.#parties, from, what.method, raw);
        break;
      case "invalid":
        this.context.problem(`the ${from.side} has sent what is no message: ${what.why}`);
        if (from.side === "client") this.#answerInvalid(from, what.id, what.why);
        break;
      default:
        this.#answers.receive(from, what, raw);
    }
    this.#parties.applyBackpressure();
  }

  #answerInvalid(to: Peer, id: RequestId | null, why: string): void {
    // An id that is in use belongs to a request that gets its own answer.
    const free = id !== null && !to.isIdInUse(idKey(id)) ? id : null;
    to.outbox.push(errorMessage(free, { code: rpcCodes.invalidRequest, message: why }));
  }

  /** The hooks are others now, so that the list of tools may be. */
  toolsChanged(): void {
    if (this.#announcesToolChanges && !this.#closing) {
      this.#parties.client.outbox.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    }
  }

  #negotiated(result: unknown): void {
    const capabilities = isObject(result) ? result["capabilities"] : undefined;
    const tools = isObject(capabilities) ? capabilities["tools"] : undefined;
    this.#announcesToolChanges = isObject(tools) && tools["listChanged"] === true;
    const version = isObject(result) ? result["protocolVersion"] : undefined;
    if (typeof version === "string") this.#parties.server.transport.setProtocolVersion?.(version);
  }

  /** A text that is no message. The pending request that it may have answered gets an error instead. */
  #refused(from: Peer, { id, answer, why, lost }: RefusedText): void {
    this.context.problem(`the ${from.side} has sent what is refused: ${why}`);
    const { calls } = this.#parties.other(from);
    const ids = lost ? [...calls.values()].map((call) => call.id) : answer && id !== null ? [id] : [];
    for (const one of ids) this.#answers.fail(from, one, `the answer was refused: ${why}`);
    if (!answer && from.side === "client") this.#answerInvalid(from, id, why);
  }

  /** A request that did not reach the other side gets an error, so that its sender does not wait. */
  #onSendError(to: Peer, message: RawMessage, error: unknown): void {
    const { id, method } = message;
    const why = errorText(error);
    this.context.problem(`a message could not be sent to the ${to.side}: ${why}`);
    if (isRequestId(id) && typeof method === "string") {
      this.#answers.fail(to, id, `the ${to.side} could not be reached: ${why}`);
    }
    // The server has forgotten the session. So do we, and a client over HTTP begins another one.
    if (to.side === "server" && isObject(error) && error["code"] === 404) {
      void this.#close({ by: "server", why: "the server has ended the session" });
    }
  }

  #close(end: SessionEnd): Promise<void> {
    // Later: closing a transport reports that at once.
    this.#closing ??= Promise.resolve().then(() => this.#end(end));
    return this.#closing;
  }

  async #end({ by, why }: SessionEnd): Promise<void> {
    const { client, server } = this.#parties;
    client.failOwnRequests();
    server.failOwnRequests();
    if (by === "server") {
      const message = `${why ?? "the server has closed the connection"}, so there is no answer`;
      for (const call of client.calls.values()) {
        call.cancelled.abort();
        client.outbox.push(errorMessage(call.id, { code: rpcCodes.refused, message }));
      }
      client.calls.clear();
    } else {
      // What has been sent before is still decided, and reaches the server.
      await drain(server.outbox);
      await server.transport.terminate?.().catch((error: unknown) => this.context.problem(errorText(error)));
    }
    await server.transport.close();
    await drain(client.outbox);
    await client.transport.close();
    this.#ended.resolve({ by, why });
  }
}

/** How long what is being decided may hold up an end, in milliseconds. */
const drainMs = 5_000;

async function drain(lane: OrderedOutbox): Promise<void> {
  for (const until = performance.now() + drainMs; lane.waiting > 0 && performance.now() < until;) {
    await new Promise((done) => setTimeout(done, 5));
  }
}
