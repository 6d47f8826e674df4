import type { ModelProvider } from "@openai/agents";
import type { MediationOptions } from "@hookwarden/mediator";

/** A tool, or a call, that hooks cannot decide on. */
export interface UnmediatedTool {
  readonly toolName: string;
  /** The kind of tool, or of the item in an answer. */
  readonly kind: string;
}

/** Options of `guardAgent`. */
export interface GuardAgentOptions extends MediationOptions {
  /** Looks up models that agents refer to by name. Pass the `modelProvider` of your `Runner` here. Default: `OpenAIProvider`. */
  readonly modelProvider?: ModelProvider;
  /** `true`: tools that the provider executes are not offered, and an answer with a call of one is an error. Default `false`. */
  readonly strict?: boolean;
  /** Called for tools, and calls, that hooks cannot decide on. Default: one process warning for each. */
  readonly onUnmediated?: (tool: UnmediatedTool) => void;
  /** Characters of a stream that are held back where hooks listen to ModelResponseChunk. Default 256; 0: none. */
  readonly hold?: number;
}
