import type { AddedMessage, Mediator } from "@hookwarden/mediator";
import type { UnmediatedTool } from "./options.ts";

/** What the guarded parts of one agent share. */
export interface GuardState {
  readonly mediator: Mediator;
  readonly strict: boolean;
  /** How many characters of a stream are held back. */
  readonly hold: number;
  readonly onUnmediated: (tool: UnmediatedTool) => void;
  /** Messages for the next request to the model. */
  pending: AddedMessage[];
}

/** Adds a text of hooks to the next request to the model. */
export function addPending({ pending }: GuardState, text: string): void {
  pending.push({ role: "user", text, durable: false });
}
