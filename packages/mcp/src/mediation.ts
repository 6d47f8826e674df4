import type { SessionContext } from "./context.ts";
import type { JsonObject, RawMessage, RequestId } from "./message.ts";

/** A request on its way. */
export interface Call {
  readonly id: RequestId;
  readonly key: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly message: RawMessage;
  /** When it came, as `performance.now()` has it. */
  readonly startedAt: number;
  /** Whether it has reached the other side, so that an answer can come. */
  forwarded: boolean;
  /** Aborted when its sender takes it back before it has been forwarded. */
  readonly cancelled: AbortController;
  /** What a mediation remembers from the request for the answer. */
  facts: unknown;
}

export type Answer =
  | { readonly kind: "result"; readonly message: RawMessage; readonly result: unknown }
  | { readonly kind: "error"; readonly message: RawMessage; readonly error: unknown };

/** What becomes of a request: it goes on, it is answered here, or that takes a person's time to say. */
export type Outcome =
  { readonly forward: RawMessage } | { readonly answer: RawMessage } | { readonly later: Promise<Outcome> };

/** What the proxy does with a method beyond passing it on. */
export interface Mediation {
  readonly request?: (call: Call, session: SessionContext) => Outcome | Promise<Outcome>;
  /** @returns what the asking side gets: the answer as it came, or another one. */
  readonly answer?: (call: Call, answer: Answer, session: SessionContext) => RawMessage | Promise<RawMessage>;
}
