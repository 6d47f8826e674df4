import { isDeepStrictEqual } from "node:util";
import {
  jsonView,
  type Mediator,
  beforeTool,
  type ToolCall,
  type ToolRefused,
  type ToolRuns,
  type AddedMessage,
} from "@hookwarden/mediator";

/** A tool, or a call, that no hook can stand before. */
export interface UnmediatedTool {
  readonly toolName: string;
  /** The kind of tool, or of the item in an answer. */
  readonly kind: string;
}

/** What the guarded parts of one agent share. */
export interface GuardSession {
  readonly mediator: Mediator;
  readonly strict: boolean;
  readonly hold: number;
  readonly onUnmediated: (tool: UnmediatedTool) => void;
  /** Messages for the next request to the model. */
  pending: AddedMessage[];
}

/** Has PreToolUse decide on a call; a rewrite to what the input was already is none. */
export async function decide(mediator: Mediator, call: ToolCall): Promise<ToolRuns | ToolRefused> {
  const before = await beforeTool(mediator, call);
  if (before.kind === "refused" || !before.changed) return before;
  if (isDeepStrictEqual(jsonView(before.input).value, jsonView(call.input).value)) {
    return { ...before, input: call.input, changed: false };
  }
  if (before.kind !== "ask") return before;
  // The package shows the person what the model asked for, and nothing else would be what they agree to.
  const text =
    "hookwarden: the tool call was refused and did not run, because a hook rewrote its input and a person would have been asked about another one.";
  return { kind: "refused", how: "ask", text, decision: before.decision };
}

/** Decisions between the moment when the package asks about approval, and the run. Each is good for one run. */
export class Tickets<K extends object> {
  private readonly byKey = new WeakMap<K, ToolRuns | ToolRefused>();

  keep(key: K, before: ToolRuns | ToolRefused): void {
    this.byKey.set(key, before);
  }

  take(key: K): ToolRuns | ToolRefused | undefined {
    const before = this.byKey.get(key);
    this.byKey.delete(key);
    return before;
  }
}
