import type {
  GenericToolApprovalFunction,
  LanguageModel,
  ToolApprovalConfiguration,
  ToolInputRefinement,
  ToolSet,
} from "ai";
import type { MediationOptions } from "@hookwarden/mediator";
import type { ProviderModel } from "./types.ts";

/** A tool call that a provider executes, where no hook can decide on it. */
export interface UnmediatedCall {
  readonly toolName: string;
  /** Absent for a tool that was only offered to the model. */
  readonly toolCallId?: string;
}

/** Options of `guard`. */
export interface GuardOptions<TOOLS extends ToolSet> extends MediationOptions {
  readonly model: LanguageModel;
  readonly tools?: TOOLS;
  /** The host's own `toolApproval`. The stricter of it and the hooks wins. */
  readonly toolApproval?: ToolApprovalConfiguration<NoInfer<TOOLS>, never>;
  /** The host's own `experimental_refineToolInput`. Runs before the hooks. */
  readonly experimental_refineToolInput?: ToolInputRefinement<NoInfer<TOOLS>>;
  /**
   * `true`: tools that the provider executes are not offered to the model, and an answer that contains a call of one is
   * an error. Default `false`: they are reported to `onUnmediated`.
   */
  readonly strict?: boolean;
  /** Called for every tool, and every call, that hooks cannot decide on. Default: one process warning for each tool. */
  readonly onUnmediated?: (call: UnmediatedCall) => void;
  /**
   * How many characters of a stream are held back where hooks listen to ModelResponseChunk, so that a secret of up to
   * this length is judged as a whole even if it is split over chunks. 0: each chunk by itself. Default 256.
   */
  readonly hold?: number;
}

/** The settings for `generateText`, `streamText` and `ToolLoopAgent` that a guard creates. */
export interface GuardedSettings<TOOLS extends ToolSet> {
  readonly model: ProviderModel;
  readonly tools: TOOLS;
  /** Accepts calls of any tool; it checks their types at run time. */
  readonly toolApproval: GenericToolApprovalFunction<any, any, any>;
  readonly experimental_refineToolInput: ToolInputRefinement<TOOLS>;
}

/** A guarded model with its tools. */
export interface Guard<TOOLS extends ToolSet> {
  /** Spread these into the settings of a call or an agent. */
  readonly settings: GuardedSettings<TOOLS>;
  readonly sessionId: string;
  /** Names of the tools that the provider executes, where no hook can decide on them. With `strict` they are left out. */
  readonly unmediated: readonly string[];
}
