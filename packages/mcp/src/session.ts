import { quote } from "@hookwarden/sandbox/json";
import { type ContextOptions, listens, SessionContext, type Side } from "./context.ts";
import type { OrderedOutbox } from "./ordered-outbox.ts";
import type { Answer, Call, Outcome } from "./mediation.ts";
import {
  classify,
  type Classified,
  errorMessage,
  idKey,
  isObject,
  isRequestId,
  type RawMessage,
  type RequestId,
  rpcCodes,
  originalText,
  toWellFormed,
} from "./message.ts";
import { isKnownMethod, judgedNotification, meantMethod, mediationOf, methodTable } from "./methods.ts";
import { Peer } from "./peer.ts";
import { judgeNotification, judgeServerError } from "./server-text.ts";
import { memberProblem } from "./spelling.ts";
import type { ProxyTransport, RefusedText } from "./transport.ts";

export interface SessionOptions extends Omit<ContextOptions, "ask"> {
  readonly client: ProxyTransport;
  readonly server: ProxyTransport;
  /** What becomes of requests that the protocol does not have. */
  readonly unknownMethods: "pass" | "refuse";
}

/** Most requests of one side that may be under way. */
export const maxPending = 4_096;
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
  readonly context: SessionContext;
  readonly #options: SessionOptions;
  readonly #client: Peer;
  readonly #server: Peer;
  readonly #ended = Promise.withResolvers<SessionEnd>();
  /** Whether the server has announced that lists of tools change. */
  #announcesToolChanges = false;
  #closing: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#client = this.#createPeer("client", options.client);
    this.#server = this.#createPeer("server", options.server);
    this.context = new SessionContext({
      ...options,
      ask: (request) => (request.to === "client" ? this.#client : this.#server).ask(request),
    });
  }

  /** Settles when the session is over and both connections are closed. */
  get ended(): Promise<SessionEnd> {
    return this.#ended.promise;
  }

  /** How many requests of the client have no answer yet. */
  get pending(): number {
    return this.#client.calls.size;
  }

  /** @throws what a transport throws that cannot be started; the other one is closed then. */
  async start(): Promise<void> {
    for (const party of [this.#client, this.#server]) {
      const { transport, side } = party;
      transport.onmessage = (message) => this.#receive(party, message);
      transport.onrefused = (refused) => this.#refused(party, refused);
      transport.onerror = (error) => this.context.problem(`${side}: ${error.message}`);
      transport.onclose = () => void this.#close({ by: side, why: transport.endedAs ?? null });
    }
    // The server first: a client that is read from sends.
    await this.#server.transport.start();
    try {
      await this.#client.transport.start();
    } catch (error) {
      await this.#server.transport.close();
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#close({ by: "proxy", why: null });
  }

  #createPeer(side: Side, transport: ProxyTransport): Peer {
    const party: Peer = new Peer(side, transport, {
      onsenderror: (message, error) => this.#onSendError(party, message, error),
      ondrain: () => this.#applyBackpressure(),
    });
    return party;
  }

  /** Each side is read from as the other one takes. */
  #applyBackpressure(): void {
    this.#client.applyBackpressure(this.#server);
    this.#server.applyBackpressure(this.#client);
  }

  #other({ side }: Peer): Peer {
    return side === "client" ? this.#server : this.#client;
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
        this.#request(from, what, raw);
        break;
      case "notification":
        this.#notification(from, what.method, raw);
        break;
      case "invalid":
        this.context.problem(`the ${from.side} has sent what is no message: ${what.why}`);
        if (from.side === "client") this.#answerInvalid(from, what.id, what.why);
        break;
      default:
        this.#answer(from, what, raw);
    }
    this.#applyBackpressure();
  }

  #answerInvalid(to: Peer, id: RequestId | null, why: string): void {
    // An id that is in use belongs to a request that gets its own answer.
    const free = id !== null && !to.isIdInUse(idKey(id)) ? id : null;
    to.outbox.push(errorMessage(free, { code: rpcCodes.invalidRequest, message: why }));
  }

  #request(from: Peer, { id, key, method }: Classified & { kind: "request" }, message: RawMessage): void {
    const to = this.#other(from);
    const reply = (code: number, why: string): void =>
      from.outbox.push(errorMessage(id, { code, message: why }));
    if (from.isIdInUse(key)) {
      // Its answer would be ambiguous. The first one keeps the id, so this error has none.
      this.context.problem(`the ${from.side} has used the id ${quote(String(id))} twice`);
      from.outbox.push(errorMessage(null, { code: rpcCodes.invalidRequest, message: "the id is in use" }));
      return;
    }
    const why = misspelling(method, message["params"]);
    if (why !== null) {
      this.context.problem(`a request of the ${from.side} is refused: ${why}`);
      return reply(rpcCodes.invalidRequest, why);
    }
    if (from.calls.size >= maxPending) return reply(rpcCodes.refused, "too many requests are under way");
    if (this.#closing) return reply(rpcCodes.refused, "the session is ending");
    const mediation = mediationOf(method, from.side);
    if (
      mediation === "wrong-side" ||
      (mediation === "unknown" && this.#options.unknownMethods === "refuse")
    ) {
      return reply(rpcCodes.methodNotFound, "the method is not passed on");
    }
    const params = message["params"];
    if (params !== undefined && !isObject(params) && mediation !== null && mediation !== "unknown") {
      return reply(rpcCodes.invalidParams, "`params` must be an object");
    }
    const call: Call = {
      id,
      key,
      method,
      params: isObject(params) ? params : {},
      message,
      startedAt: performance.now(),
      forwarded: false,
      cancelled: new AbortController(),
      facts: undefined,
    };
    from.calls.set(key, call);
    const decide = typeof mediation === "object" ? mediation?.request : undefined;
    if (!decide) return this.#settle(from, call, { forward: message }, (out) => out && to.outbox.push(out));
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = decide(call, this.context);
    } catch (error) {
      return this.#failed(from, call, error);
    }
    if (outcome instanceof Promise) {
      const place = to.outbox.reserve();
      outcome.then(
        (settled) => this.#settle(from, call, settled, place),
        (error: unknown) => {
          place(null);
          this.#failed(from, call, error);
        },
      );
    } else this.#settle(from, call, outcome, (out) => out && to.outbox.push(out));
  }

  /** Carries out what was decided on a request. `place` is where it goes on, or nothing does. */
  #settle(from: Peer, call: Call, outcome: Outcome, place: (message: RawMessage | null) => void): void {
    // The cancelled call has no waiting caller, and nothing has run.
    if (call.cancelled.signal.aborted) return place(null);
    if ("later" in outcome) {
      // What takes a person's time does not hold up what comes behind.
      place(null);
      outcome.later.then(
        (settled) => this.#settle(from, call, settled, (out) => out && this.#other(from).outbox.push(out)),
        (error: unknown) => this.#failed(from, call, error),
      );
      return;
    }
    if ("forward" in outcome) {
      call.forwarded = true;
      Peer.copyOrigin(outcome.forward, call.message);
      return place(outcome.forward);
    }
    from.calls.delete(call.key);
    place(null);
    from.outbox.push(outcome.answer);
    this.#applyBackpressure();
  }

  /** A failure of ours: the request goes nowhere. */
  #failed(from: Peer, call: Call, error: unknown): void {
    this.context.problem(`${call.method} is refused after a failure of hookwarden: ${errorText(error)}`);
    if (!from.calls.delete(call.key)) return;
    from.outbox.push(
      errorMessage(call.id, {
        code: rpcCodes.internal,
        message: "hookwarden has failed, so the request was refused",
      }),
    );
  }

  #notification(from: Peer, method: string, message: RawMessage): void {
    const to = this.#other(from);
    if (Object.hasOwn(methodTable, method)) {
      // A server that does not look at ids would carry it out unjudged.
      this.context.problem(`the ${from.side} has sent ${quote(method)} without an id; it goes nowhere`);
      return;
    }
    const why = misspelling(method, message["params"]);
    if (why !== null) {
      this.context.problem(`a notification of the ${from.side} is refused: ${why}`);
      return;
    }
    if (method === "notifications/cancelled" && !this.#cancel(from, message)) return;
    if (method === "notifications/tools/list_changed" && from.side === "server") this.context.tools.forget();
    const form = from.side === "server" ? judgedNotification(method, message["params"]) : null;
    if (!form || !listens(this.#options.warden, "PostToolUse")) return to.outbox.push(message);
    const place = to.outbox.reserve();
    judgeNotification(method, message, form, this.context).then(
      (judged) => {
        if (judged) Peer.copyOrigin(judged, message);
        place(judged);
      },
      (error: unknown) => {
        this.context.problem(`${method} is dropped after a failure of hookwarden: ${errorText(error)}`);
        place(null);
      },
    );
  }

  /** @returns whether the other side has to know. */
  #cancel(from: Peer, { params }: RawMessage): boolean {
    const id = isObject(params) ? params["requestId"] : undefined;
    const call = isRequestId(id) ? from.calls.get(idKey(id)) : undefined;
    if (!call) return true;
    // From here on an answer is unsolicited.
    from.calls.delete(call.key);
    call.cancelled.abort();
    if (call.forwarded) from.noteCancelled(call.key);
    return call.forwarded;
  }

  #answer(from: Peer, what: Classified & { kind: "result" | "error" }, message: RawMessage): void {
    const to = this.#other(from);
    const answer: Answer =
      what.kind === "result"
        ? { kind: "result", message, result: what.result }
        : { kind: "error", message, error: what.error };
    if (from.settle(what.key, answer)) return;
    const call = to.calls.get(what.key);
    if (!call?.forwarded) {
      this.context.problem(
        `the ${from.side} has answered ${quote(String(what.id))}, which is no request under way`,
      );
      return;
    }
    to.calls.delete(what.key);
    if (call.method === "initialize" && answer.kind === "result") this.#negotiated(answer.result);
    const judge = this.#judgeOf(to, call, answer);
    if (!judge) return to.outbox.push(message);
    const place = to.outbox.reserve();
    Promise.resolve()
      .then(() => judge())
      .then(place, (error: unknown) => {
        this.context.problem(
          `the answer to ${call.method} is kept back after a failure of hookwarden: ${errorText(error)}`,
        );
        place(
          errorMessage(call.id, {
            code: rpcCodes.internal,
            message: "hookwarden has failed, so the answer was kept back",
          }),
        );
      });
  }

  /** What makes the answer that goes on of the one that came; `null` where that is the same. */
  #judgeOf(to: Peer, call: Call, answer: Answer): (() => RawMessage | Promise<RawMessage>) | null {
    const { context } = this;
    const known = isKnownMethod(call.method);
    // What a person fills into a form has the names that the form gave.
    const free = to.side === "server" && call.method !== "sampling/createMessage" ? "content" : undefined;
    const why = known ? memberProblem(answer.kind === "result" ? answer.result : answer.error, free) : null;
    if (why !== null) {
      context.problem(`the answer to ${call.method} is refused: ${why}`);
      const error = { code: rpcCodes.refused, message: "the answer was refused: a name in it is misspelt" };
      return () => errorMessage(call.id, error);
    }
    const mediation = mediationOf(call.method, to.side);
    if (mediation !== null && typeof mediation === "object" && mediation.answer) {
      const { answer: judge } = mediation;
      return () => judge(call, answer, context);
    }
    // Whatever was asked for, the words of an error reach the model or the person.
    if (answer.kind === "error" && to.side === "client") return () => judgeServerError(call, answer, context);
    return null;
  }

  /** The hooks are others now, so that the list of tools may be. */
  toolsChanged(): void {
    if (this.#announcesToolChanges && !this.#closing) {
      this.#client.outbox.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    }
  }

  #negotiated(result: unknown): void {
    const capabilities = isObject(result) ? result["capabilities"] : undefined;
    const tools = isObject(capabilities) ? capabilities["tools"] : undefined;
    this.#announcesToolChanges = isObject(tools) && tools["listChanged"] === true;
    const version = isObject(result) ? result["protocolVersion"] : undefined;
    if (typeof version === "string") this.#server.transport.setProtocolVersion?.(version);
  }

  /** A text that is no message. The pending request that it may have answered gets an error instead. */
  #refused(from: Peer, { id, answer, why, lost }: RefusedText): void {
    this.context.problem(`the ${from.side} has sent what is refused: ${why}`);
    const { calls } = this.#other(from);
    const ids = lost ? [...calls.values()].map((call) => call.id) : answer && id !== null ? [id] : [];
    for (const one of ids) this.#fail(from, one, `the answer was refused: ${why}`);
    if (!answer && from.side === "client") this.#answerInvalid(from, id, why);
  }

  /** A request that did not reach the other side gets an error, so that its sender does not wait. */
  #onSendError(to: Peer, message: RawMessage, error: unknown): void {
    const { id, method } = message;
    const why = errorText(error);
    this.context.problem(`a message could not be sent to the ${to.side}: ${why}`);
    if (isRequestId(id) && typeof method === "string") {
      this.#fail(to, id, `the ${to.side} could not be reached: ${why}`);
    }
    // The server has forgotten the session. So do we, and a client over HTTP begins another one.
    if (to.side === "server" && isObject(error) && error["code"] === 404) {
      void this.#close({ by: "server", why: "the server has ended the session" });
    }
  }

  /** Answers a request in the place of the side that should. The words may be that side's, and are judged as such. */
  #fail(side: Peer, id: RequestId, why: string): void {
    const error = { code: rpcCodes.refused, message: why };
    const key = idKey(id);
    if (!this.#other(side).calls.get(key)?.forwarded) return;
    this.#answer(side, { kind: "error", id, key, error }, errorMessage(id, error));
  }

  #close(end: SessionEnd): Promise<void> {
    // Later: closing a transport reports that at once.
    this.#closing ??= Promise.resolve().then(() => this.#end(end));
    return this.#closing;
  }

  async #end({ by, why }: SessionEnd): Promise<void> {
    const { transport: client, calls } = this.#client;
    const { transport: server } = this.#server;
    this.#client.failOwnRequests();
    this.#server.failOwnRequests();
    if (by === "server") {
      const message = `${why ?? "the server has closed the connection"}, so there is no answer`;
      for (const call of calls.values()) {
        call.cancelled.abort();
        this.#client.outbox.push(errorMessage(call.id, { code: rpcCodes.refused, message }));
      }
      calls.clear();
    } else {
      // What has been sent before is still decided, and reaches the server.
      await drain(this.#server.outbox);
      await server.terminate?.().catch((error: unknown) => this.context.problem(errorText(error)));
    }
    await server.close();
    await drain(this.#client.outbox);
    await client.close();
    this.#ended.resolve({ by, why });
  }
}

/** Why a request or a notification is refused that has a name of the protocol in another case; `null` where none has. */
function misspelling(method: string, params: unknown): string | null {
  const meant = meantMethod(method);
  if (meant !== null) return `the method ${quote(method)} differs from ${quote(meant)} only in case`;
  return isKnownMethod(method) ? memberProblem(params) : null;
}

const maxErrorLength = 500;

/** How long what is being decided may hold up an end, in milliseconds. */
const drainMs = 5_000;

async function drain(lane: OrderedOutbox): Promise<void> {
  for (const until = performance.now() + drainMs; lane.waiting > 0 && performance.now() < until;) {
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** What went wrong, at a length that fits into a message: it may quote a whole response of a server. */
function errorText(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.length > maxErrorLength ? `${words.slice(0, maxErrorLength)}…` : words;
}
