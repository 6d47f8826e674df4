import {
  beforeTool,
  type Mediator,
  rewrittenBeforeApproval,
  type ToolCall,
  type ToolRefused,
  type ToolRuns,
} from "@hookwarden/mediator";

/** Has PreToolUse decide on a call. A rewritten call that needs approval is refused. */
export async function decide(mediator: Mediator, call: ToolCall): Promise<ToolRuns | ToolRefused> {
  const before = await beforeTool(mediator, call);
  if (before.kind !== "ask" || !before.changed) return before;
  // The SDK shows a person the input that the model asked for, so they would approve a different one.
  return { kind: "refused", how: "ask", text: rewrittenBeforeApproval, decision: before.decision };
}

/** Keeps decisions between the SDK's question about approval and the run. Each is valid for one run. */
export class CallDecisions<K extends object> {
  readonly #byKey = new WeakMap<K, ToolRuns | ToolRefused>();

  keep(key: K, before: ToolRuns | ToolRefused): void {
    this.#byKey.set(key, before);
  }

  take(key: K): ToolRuns | ToolRefused | undefined {
    const before = this.#byKey.get(key);
    this.#byKey.delete(key);
    return before;
  }
}
