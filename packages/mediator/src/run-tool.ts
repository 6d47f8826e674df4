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
import type { AddedMessage } from "./words.ts";

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
      /** Fenced text that belongs behind the result; `null` for none. */
      readonly added: string | null;
    }
  | { readonly kind: "error"; readonly text: string; readonly thrown: unknown; readonly replaced: boolean };

/** What makes one mediated run of a tool. */
export interface RunTool {
  readonly mediator: Mediator;
  readonly call: ToolCall;
  /** Runs the tool. What it throws is its error. */
  run(input: unknown): unknown;
  /** Checks an input that a hook rewrote against the tool's schema, and gives what the tool must get; throws where it breaks it. */
  validate?(input: unknown): unknown;
  /** A person has said yes already. */
  readonly approved?: boolean;
  /** A decision that was made on this very input a moment ago. Default: one is asked for. */
  readonly before?: ToolRuns | ToolRefused;
  /** Whether a value that came back, not thrown, is a failure. Default: it is not. */
  isError?(result: unknown): boolean;
  /** Is handed messages that hooks injected. Default: they stand behind the result. */
  readonly keepMessages?: (messages: readonly AddedMessage[]) => void;
  /** What is thrown through without being mediated, such as an interrupt of the framework. Default: nothing. */
  isControl?(thrown: unknown): boolean;
}

/** Runs a tool between PreToolUse and PostToolUse or PostToolUseFailure. Throws only what `isControl` says. */
export async function runTool(parts: RunTool): Promise<ToolOutcome> {
  const { mediator, call, approved = false } = parts;
  const before = parts.before ?? (await beforeTool(mediator, call));
  if (before.kind === "refused") return before;
  if (before.kind === "ask" && !approved) return before as ToolRuns & { kind: "ask" };
  const what = "hookwarden: the tool call was refused and did not run";
  let { input } = before;
  if (before.changed) {
    try {
      input = parts.validate ? await parts.validate(input) : input;
    } catch {
      const text = `${what}, because a hook rewrote its input to one that breaks the tool's schema.`;
      return { kind: "refused", how: "failure", text, decision: before.decision };
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
