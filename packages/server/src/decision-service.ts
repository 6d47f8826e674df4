import type { ProblemDetail } from "./problem.ts";

/** That a person is to be asked. */
export interface ApprovalWish {
  /** How long the approval may be answered. */
  readonly seconds: number;
  /** Id of the credential that requests the decision: it cannot answer. */
  readonly by: string;
}

/** A question to the server, however it came: over HTTP or over a channel between nodes. */
export interface DecisionRequest {
  /** From the credential alone. */
  readonly tenant: string;
  /** One event or an array of events, as the bytes of strict JSON. */
  readonly body: Uint8Array;
  /** Name of a dialect that event and answer are in. Default: the catalogue's own names. */
  readonly dialect?: string;
  /**
   * Id of the decision, chosen by a client that may retry under it: 1 to 128 visible ASCII characters.
   * Only with one event. Default: a new one.
   */
  readonly decisionId?: string;
  /** `traceparent` of W3C Trace Context, as it came. */
  readonly traceparent?: string;
  /** Opens an approval for each event whose decision is `ask`. Only with one event, or with a stream. */
  readonly approval?: ApprovalWish;
  /** Id of the request, for the log. */
  readonly requestId?: string;
  /** True once the client has disconnected; work that has not started is dropped. */
  readonly gone?: () => boolean;
}

/** The answer as JSON text; where the status is not 200, the code of the problem instead. */
export interface DecisionReply {
  readonly status: number;
  readonly body: string;
  /** Seconds after which it may be worth asking again; only with status 429 and 503. */
  readonly retryAfter?: number;
  /** Id of the approval that was opened for the decision. */
  readonly approval?: string;
  /** What was wrong with what was asked; only where the status is not 200. */
  readonly detail?: ProblemDetail;
}

/** Answers questions: limits, fair queueing, dispatch, audit. Never rejects. */
export interface DecisionService {
  decide(request: DecisionRequest): Promise<DecisionReply>;
}

/** Decides streams of events too. */
export interface StreamingDecisionService extends DecisionService {
  /**
   * Decides the lines of a stream, each an event, and gives an answer for each in their order: lines of JSON, like the
   * answers of a batch. Events of one session are decided in their order, up to 16 of others at the same time.
   *
   * @param lines as bytes of strict JSON; `null` for a line that was too long.
   * @throws {Problem} `shutting-down`, `forbidden`, and what admission refuses
   */
  decideLines(
    request: Omit<DecisionRequest, "body" | "decisionId">,
    lines: AsyncIterable<Uint8Array | null>,
  ): AsyncIterable<string>;
}
