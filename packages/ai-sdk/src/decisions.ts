import { asSchema } from "ai";
import { HookwardenError } from "hookwarden/errors";
import {
  beforeTool,
  invalidRewrite,
  type Mediator,
  type ToolCall,
  type ToolRefused,
  type ToolRuns,
} from "@hookwarden/mediator";
import type { AnyTool } from "./types.ts";

/** A decision on a tool call, kept until the tool runs. */
export interface CallDecision {
  readonly before: ToolRuns | ToolRefused;
  /** The input that the model asked for, if hooks rewrote it. */
  readonly original: unknown;
  /** Whether the AI SDK already holds the rewritten input, so that a person is asked about that one. */
  readonly refined: boolean;
  /** Whether hooks approved the call in place of a person. */
  approved: boolean;
}

/** Returns the input as the tool's schema transforms it; throws if it does not match. */
type Validate = (input: unknown) => Promise<unknown>;

/**
 * Keeps the decisions on tool calls between the steps of the AI SDK: input refinement, approval, execution. A decision
 * belongs to one input object: a repaired, copied or repeated call has a different one, and gets a decision of its own.
 */
export class CallDecisions {
  readonly #byInput = new WeakMap<object, { readonly decision: CallDecision; readonly json: string }>();
  readonly #mediator: Mediator;

  constructor(mediator: Mediator) {
    this.#mediator = mediator;
  }

  /** Decides on a call before it is shown, and returns the input to continue with. */
  async refine(call: ToolCall, validate: Validate): Promise<unknown> {
    const before = await this.#decide(call, validate);
    const input = before.kind === "refused" ? call.input : before.input;
    this.#keep(input, {
      before: before.kind === "refused" ? before : { ...before, changed: false },
      original: before.kind !== "refused" && before.changed ? call.input : undefined,
      refined: true,
      approved: false,
    });
    return input;
  }

  /** The decision on a call; PreToolUse decides now if it has not yet. */
  async for(call: ToolCall, validate: Validate): Promise<CallDecision> {
    const known = this.#find(call.input);
    if (known) return known;
    const before = await this.#decide(call, validate);
    const decision = { before, original: undefined, refined: false, approved: false };
    this.#keep(call.input, decision);
    return decision;
  }

  /** Removes and returns the decision on a call: it is valid for one run. */
  take(input: unknown): CallDecision | undefined {
    const decision = this.#find(input);
    if (decision) this.#byInput.delete(input as object);
    return decision;
  }

  async #decide(call: ToolCall, validate: Validate): Promise<ToolRuns | ToolRefused> {
    const before = await beforeTool(this.#mediator, call);
    if (before.kind === "refused" || !before.changed) return before;
    try {
      return { ...before, input: await validate(before.input) };
    } catch (cause) {
      const error = new HookwardenError(
        "event-invalid",
        "a rewritten input does not match its schema",
        {},
        { cause },
      );
      return { kind: "refused", how: "failure", text: invalidRewrite, decision: before.decision, error };
    }
  }

  #find(input: unknown): CallDecision | undefined {
    if (typeof input !== "object" || input === null) return undefined;
    const kept = this.#byInput.get(input);
    // If the object was changed since, the decision is about something else.
    return kept && kept.json === JSON.stringify(input) ? kept.decision : undefined;
  }

  #keep(input: unknown, decision: CallDecision): void {
    if (typeof input !== "object" || input === null) return;
    try {
      this.#byInput.set(input, { decision, json: JSON.stringify(input) });
    } catch {
      // An input without a JSON form is refused, so there is nothing to keep.
    }
  }
}

/** Validates an input against the tool's schema and returns it as the schema transforms it. */
export async function validateInput(tool: AnyTool, input: unknown): Promise<unknown> {
  const schema = asSchema(tool.inputSchema);
  if (!schema.validate) return input;
  const outcome = await schema.validate(input);
  if (!outcome.success) throw outcome.error;
  return outcome.value;
}
