import { BoundedMap, type Mediator, type AddedMessage } from "@hookwarden/mediator";

/** A tool call that a provider makes at its own place, where no hook can stand before it. */
export interface UnmediatedCall {
  readonly toolName: string;
  /** Absent for a tool that was only offered to the model. */
  readonly toolCallId?: string;
}

/** What the mediated tools and the mediated model of one guard share. */
export interface GuardSession {
  readonly mediator: Mediator;
  /** Names of tools without `execute`, whose results come from the client. */
  readonly clientTools: ReadonlySet<string>;
  readonly strict: boolean;
  /** Characters of a stream that are held back. */
  readonly hold: number;
  readonly onUnmediated: (call: UnmediatedCall) => void;
  /** Messages that hooks injected beside a tool call, until the next request takes them along. */
  pending: AddedMessage[];
  /** The calls that the model has asked for, so that a call is known by its input where the package tells no id. */
  readonly calls: CallIds;
}

/** Ids of tool calls, by what was called. */
export class CallIds {
  private readonly ids = new BoundedMap<string>(1_000);

  /** @param input the arguments as JSON text. */
  note(name: string, input: string, id: string): void {
    try {
      this.ids.set(keyOf(name, JSON.parse(input)), id);
    } catch {
      // The package will not make a call of it either.
    }
  }

  find(name: string, input: unknown): string | undefined {
    return this.ids.get(keyOf(name, input));
  }
}

function keyOf(name: string, input: unknown): string {
  return JSON.stringify([name, input]);
}
