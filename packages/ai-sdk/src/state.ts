import { type AddedMessage, BoundedMap, type Mediator } from "@hookwarden/mediator";
import type { UnmediatedCall } from "./options.ts";

/** What the guarded tools and the guarded model of one guard share. */
export interface GuardState {
  readonly mediator: Mediator;
  /** Names of tools without `execute`: the client provides their results. */
  readonly clientTools: ReadonlySet<string>;
  readonly strict: boolean;
  /** How many characters of a stream are held back. */
  readonly hold: number;
  readonly onUnmediated: (call: UnmediatedCall) => void;
  /** Messages that hooks added to a tool call, for the next request. */
  pending: AddedMessage[];
  /** The calls that the model made, to identify a call by its input where the AI SDK does not pass its id. */
  readonly calls: CallIds;
}

/** Ids of tool calls, by tool and input. */
export class CallIds {
  readonly #ids = new BoundedMap<string>(1_000);

  /** @param input the arguments as JSON text. */
  record(name: string, input: string, id: string): void {
    try {
      this.#ids.set(keyOf(name, JSON.parse(input)), id);
    } catch {
      // Not JSON: the AI SDK will not execute it either.
    }
  }

  find(name: string, input: unknown): string | undefined {
    return this.#ids.get(keyOf(name, input));
  }
}

function keyOf(name: string, input: unknown): string {
  return JSON.stringify([name, input]);
}
