import type { Mediator } from "./mediator.ts";
import {
  afterTool,
  afterToolFailure,
  beforeTool,
  joined,
  type ToolCall,
  type ToolRefused,
  type ToolRuns,
} from "./tool-call.ts";
import { type AddedMessage, invalidRewrite } from "./refusal-messages.ts";

/** How one call of a tool ended. */
export type ToolOutcome =
  | ToolRefused
  /** A person must decide first. */
  | (ToolRuns & { readonly kind: "ask" })
  | {
      readonly kind: "result";
      readonly result: unknown;
      readonly replaced: boolean;
      readonly isError: boolean;
      /** Fenced text to append to the result; `null` for none. */
      readonly added: string | null;
    }
  | { readonly kind: "error"; readonly text: string; readonly thrown: unknown; readonly replaced: boolean };

/** The options of one mediated run of a tool. */
export interface RunTool {
  readonly mediator: Mediator;
  readonly call: ToolCall;
  /** Runs the tool. What it throws is its error. */
  run(input: unknown): unknown;
  /** Validates an input that a hook rewrote against the tool's schema and returns the input to run with; throws if it does not match. */
  validate?(input: unknown): unknown;
  /** A person has approved the call. */
  readonly approved?: boolean;
  /** The decision that was already made on this input. Default: PreToolUse decides now. */
  readonly before?: ToolRuns | ToolRefused;
  /** Whether a returned value is a failure. Default: it is not. */
  isError?(result: unknown): boolean;
  /** Is handed messages that hooks injected. Default: they stand behind the result. */
  readonly keepMessages?: (messages: readonly AddedMessage[]) => void;
  /** Whether a thrown value passes through unmediated, such as an interrupt of the framework. Default: none. */
  isControl?(thrown: unknown): boolean;
}

/** Runs a tool between PreToolUse and PostToolUse or PostToolUseFailure. Throws only what `isControl` accepts. */
export async function runTool(parts: RunTool): Promise<ToolOutcome> {
  const { mediator, call, approved = false } = parts;
  const before = parts.before ?? (await beforeTool(mediator, call));
  if (before.kind === "refused") return before;
  if (before.kind === "ask" && !approved) return before as ToolRuns & { kind: "ask" };
  let { input } = before;
  if (before.changed) {
    try {
      input = parts.validate ? await parts.validate(input) : input;
    } catch {
      return { kind: "refused", how: "failure", text: invalidRewrite, decision: before.decision };
    }
  }
  const ran = {
    input,
    ...(before.changed ? { original: call.input } : {}),
    startedAt: performance.now(),
  };
  const hand = (messages: readonly AddedMessage[]): readonly AddedMessage[] => {
    if (messages.length === 0 || !parts.keepMessages) return messages;
    parts.keepMessages(messages);
    return [];
  };
  let result: unknown;
  try {
    result = await parts.run(input);
  } catch (thrown) {
    if (parts.isControl?.(thrown)) throw thrown;
    const failure = await afterToolFailure(mediator, call, thrown, ran);
    if (failure.kind === "refused") return failure;
    const text = joined(failure.text, before.context, hand(failure.messages)) ?? "";
    return { kind: "error", text, thrown, replaced: failure.replaced };
  }
  const isError = parts.isError?.(result);
  const after = await afterTool(mediator, call, result, isError === undefined ? ran : { ...ran, isError });
  if (after.kind === "refused") return after;
  const added = joined(after.augment, before.context, hand(after.messages));
  return { kind: "result", result: after.result, replaced: after.replaced, isError: after.isError, added };
}
