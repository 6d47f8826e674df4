import { isDeepStrictEqual } from "node:util";
import { HookwardenError } from "hookwarden/errors";
import {
  jsonView,
  type Mediator,
  beforeTool,
  type ToolCall,
  type ToolRefused,
  type ToolRuns,
} from "@hookwarden/mediator";

/** A decision on a tool call, for the moment when the tool runs. */
export interface Ticket {
  readonly before: ToolRuns | ToolRefused;
  /** What the model asked for, where hooks rewrote it. */
  readonly original: unknown;
  /** Whether the input that the package holds is the rewritten one, so that people are asked about that. */
  readonly refined: boolean;
  /** The package was told that the call is approved. */
  approved: boolean;
}

type Validate = (input: unknown) => Promise<unknown>;

/**
 * Keeps the decisions on tool calls between the package's seams: input refinement, approval, execution. A decision
 * belongs to one input object: a repaired, copied or repeated call has another one, and is decided anew.
 */
export class Tickets {
  private readonly byInput = new WeakMap<object, { readonly ticket: Ticket; readonly json: string }>();
  private readonly mediator: Mediator;

  constructor(mediator: Mediator) {
    this.mediator = mediator;
  }

  /** Decides on a call before anybody sees it, and gives the input to go on with. */
  async refine(call: ToolCall, validate: Validate): Promise<unknown> {
    const before = await this.decide(call, validate);
    const input = before.kind === "refused" ? call.input : before.input;
    this.keep(input, {
      before: before.kind === "refused" ? before : { ...before, changed: false },
      original: before.kind !== "refused" && before.changed ? call.input : undefined,
      refined: true,
      approved: false,
    });
    return input;
  }

  /** The decision on a call, made now where there is none yet. */
  async for(call: ToolCall, validate: Validate): Promise<Ticket> {
    const kept = this.find(call.input);
    if (kept) return kept;
    const before = await this.decide(call, validate);
    const ticket = { before, original: undefined, refined: false, approved: false };
    this.keep(call.input, ticket);
    return ticket;
  }

  /** Takes the decision on a call away, for the one run that it is good for. */
  take(input: unknown): Ticket | undefined {
    const ticket = this.find(input);
    if (ticket) this.byInput.delete(input as object);
    return ticket;
  }

  private async decide(call: ToolCall, validate: Validate): Promise<ToolRuns | ToolRefused> {
    const before = await beforeTool(this.mediator, call);
    if (before.kind === "refused" || !before.changed) return before;
    // A rewrite to what it was already, as when a decision is made once more, is none.
    if (isDeepStrictEqual(jsonView(before.input).value, jsonView(call.input).value)) {
      return { ...before, input: call.input, changed: false };
    }
    try {
      return { ...before, input: await validate(before.input) };
    } catch (cause) {
      const error = new HookwardenError(
        "event-invalid",
        "a rewritten input breaks its schema",
        {},
        { cause },
      );
      const text =
        "hookwarden: the tool call was refused and did not run, because a hook rewrote its input to one that breaks the tool's schema.";
      return { kind: "refused", how: "failure", text, decision: before.decision, error };
    }
  }

  private find(input: unknown): Ticket | undefined {
    if (typeof input !== "object" || input === null) return undefined;
    const kept = this.byInput.get(input);
    // Whoever changed the object since then changed what was decided on.
    return kept && kept.json === JSON.stringify(input) ? kept.ticket : undefined;
  }

  private keep(input: unknown, ticket: Ticket): void {
    if (typeof input !== "object" || input === null) return;
    try {
      this.byInput.set(input, { ticket, json: JSON.stringify(input) });
    } catch {
      // Without a JSON form there is no decision to keep either.
    }
  }
}
