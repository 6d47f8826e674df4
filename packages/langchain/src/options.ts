import type { MediationOptions } from "@hookwarden/mediator";
import type { AskPerson } from "./approval.ts";

/** The parts of a run's runtime that identify it. */
export interface RunInfo {
  readonly configurable?: { readonly [name: string]: unknown } | undefined;
  readonly context?: unknown;
}

/** The session and the tenant of a run. What is absent is taken from the options of the middleware. */
export interface Identity {
  readonly sessionId?: string;
  readonly tenant?: string;
}

/** Options of `hookwardenMiddleware`. */
export interface HookwardenMiddlewareOptions extends MediationOptions {
  /** Returns the identity of a run. Default: `configurable.thread_id` is the session; without one, all runs share a session. */
  readonly identify?: (run: RunInfo) => Identity;
  /** `true`: tools that the provider executes are not offered, and an answer with a call of one is an error. Default `false`. */
  readonly strict?: boolean;
  /** Called for tools, and calls, that the provider executes, where no hook can decide on them. Default: a process warning. */
  readonly onUnmediated?: (call: { readonly toolName: string }) => void;
  /** Characters of a stream that are held back where hooks listen to ModelResponseChunk. Default 256; 0: none. */
  readonly hold?: number;
  /**
   * Asks a person about a call. Default: the graph is interrupted with an `ApprovalRequest`, and the call runs after it is
   * resumed with an `ApprovalAnswer` that approves it; an agent without a checkpointer refuses the call.
   */
  readonly onAsk?: AskPerson;
}
