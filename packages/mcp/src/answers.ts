import { quote } from "@hookwarden/sandbox/json";
import type { Answer, Call } from "./mediation.ts";
import {
  type Classified,
  errorMessage,
  idKey,
  type RawMessage,
  type RequestId,
  rpcCodes,
} from "./message.ts";
import { isKnownMethod, mediationOf } from "./methods.ts";
import { errorText, type Parties } from "./parties.ts";
import type { Peer } from "./peer.ts";
import { judgeServerError } from "./server-text.ts";
import { memberProblem } from "./spelling.ts";

/** The answers of a session: one to a pending request is forwarded as its mediation leaves it, others are dropped. */
export class Answers {
  readonly #parties: Parties;
  readonly #onInitialized: (result: unknown) => void;

  /** @param onInitialized is given the result of `initialize`. */
  constructor(parties: Parties, onInitialized: (result: unknown) => void) {
    this.#parties = parties;
    this.#onInitialized = onInitialized;
  }

  receive(from: Peer, what: Classified & { kind: "result" | "error" }, message: RawMessage): void {
    const { context } = this.#parties;
    const to = this.#parties.other(from);
    const answer: Answer =
      what.kind === "result"
        ? { kind: "result", message, result: what.result }
        : { kind: "error", message, error: what.error };
    if (from.settle(what.key, answer)) return;
    const call = to.calls.get(what.key);
    if (!call?.forwarded) {
      context.problem(
        `the ${from.side} has answered ${quote(String(what.id))}, which is no request under way`,
      );
      return;
    }
    to.calls.delete(what.key);
    if (call.method === "initialize" && answer.kind === "result") this.#onInitialized(answer.result);
    const judge = this.#judgeOf(to, call, answer);
    if (!judge) return to.outbox.push(message);
    const place = to.outbox.reserve();
    Promise.resolve()
      .then(() => judge())
      .then(place, (error: unknown) => {
        context.problem(
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

  /** Makes the answer that is forwarded; `null` if the one that came is forwarded unchanged. */
  #judgeOf(to: Peer, call: Call, answer: Answer): (() => RawMessage | Promise<RawMessage>) | null {
    const { context } = this.#parties;
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

  /** Answers a request on behalf of the side that should have. The words may be that side's, and are judged as such. */
  fail(side: Peer, id: RequestId, why: string): void {
    const error = { code: rpcCodes.refused, message: why };
    const key = idKey(id);
    if (!this.#parties.other(side).calls.get(key)?.forwarded) return;
    this.receive(side, { kind: "error", id, key, error }, errorMessage(id, error));
  }
}
