import { quote } from "@hookwarden/sandbox/json";
import type { Call, Mediation, Outcome } from "./mediation.ts";
import { type Classified, errorMessage, isObject, type RawMessage, rpcCodes } from "./message.ts";
import { mediationOf, misspelling } from "./methods.ts";
import { errorText, type Parties } from "./parties.ts";
import { Peer } from "./peer.ts";

/** Most requests of one side that may be under way. */
export const maxPending = 4_096;

export interface RequestOptions {
  /** What becomes of requests that the protocol does not have. */
  readonly unknownMethods: "pass" | "refuse";
  /** Whether the session is ending, and takes no more requests. */
  readonly isClosing: () => boolean;
}

/** The requests of a session: each goes on as its mediation leaves it, in its place, or is answered here. */
export class Requests {
  readonly #parties: Parties;
  readonly #options: RequestOptions;

  constructor(parties: Parties, options: RequestOptions) {
    this.#parties = parties;
    this.#options = options;
  }

  receive(from: Peer, what: Classified & { kind: "request" }, message: RawMessage): void {
    const { id, key, method } = what;
    const { context } = this.#parties;
    const reply = (code: number, why: string): void =>
      from.outbox.push(errorMessage(id, { code, message: why }));
    if (from.isIdInUse(key)) {
      // Its answer would be ambiguous. The first one keeps the id, so this error has none.
      context.problem(`the ${from.side} has used the id ${quote(String(id))} twice`);
      from.outbox.push(errorMessage(null, { code: rpcCodes.invalidRequest, message: "the id is in use" }));
      return;
    }
    const params = message["params"];
    const why = misspelling(method, params);
    if (why !== null) {
      context.problem(`a request of the ${from.side} is refused: ${why}`);
      return reply(rpcCodes.invalidRequest, why);
    }
    if (from.calls.size >= maxPending) return reply(rpcCodes.refused, "too many requests are under way");
    if (this.#options.isClosing()) return reply(rpcCodes.refused, "the session is ending");
    const mediation = mediationOf(method, from.side);
    if (
      mediation === "wrong-side" ||
      (mediation === "unknown" && this.#options.unknownMethods === "refuse")
    ) {
      return reply(rpcCodes.methodNotFound, "the method is not passed on");
    }
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
    this.#mediate(from, call, typeof mediation === "object" ? mediation?.request : undefined);
  }

  /** Has hooks decide on a request, if they have a say in it. */
  #mediate(from: Peer, call: Call, decide: Mediation["request"]): void {
    const { context } = this.#parties;
    const { outbox } = this.#parties.other(from);
    const forward = (message: RawMessage | null): void => {
      if (message) outbox.push(message);
    };
    if (!decide) return this.#settle(from, call, { forward: call.message }, forward);
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = decide(call, context);
    } catch (error) {
      return this.#failed(from, call, error);
    }
    if (!(outcome instanceof Promise)) return this.#settle(from, call, outcome, forward);
    const place = outbox.reserve();
    outcome.then(
      (settled) => this.#settle(from, call, settled, place),
      (error: unknown) => {
        place(null);
        this.#failed(from, call, error);
      },
    );
  }

  /** Carries out what was decided on a request. `place` is where it goes on, or nothing does. */
  #settle(from: Peer, call: Call, outcome: Outcome, place: (message: RawMessage | null) => void): void {
    // The cancelled call has no waiting caller, and nothing has run.
    if (call.cancelled.signal.aborted) return place(null);
    if ("later" in outcome) {
      // What takes a person's time does not hold up what comes behind.
      place(null);
      outcome.later.then(
        (settled) =>
          this.#settle(from, call, settled, (out) => out && this.#parties.other(from).outbox.push(out)),
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
    this.#parties.applyBackpressure();
  }

  /** A failure of ours: the request goes nowhere. */
  #failed(from: Peer, call: Call, error: unknown): void {
    this.#parties.context.problem(
      `${call.method} is refused after a failure of hookwarden: ${errorText(error)}`,
    );
    if (!from.calls.delete(call.key)) return;
    from.outbox.push(
      errorMessage(call.id, {
        code: rpcCodes.internal,
        message: "hookwarden has failed, so the request was refused",
      }),
    );
  }
}
