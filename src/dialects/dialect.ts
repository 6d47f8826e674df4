import type { AttributedText, Decision, Verdict } from "../broker/index.ts";
import { type ActionName, actionNames, type EventActionName, type EventName } from "../catalogue/index.ts";
import type { FailurePolicy, LoadedPack } from "../pack/index.ts";

/** One message of a system: a JSON object that was read strictly, or copied out of a host's object. */
export type Message = { readonly [field: string]: unknown };

/** A verdict that ends the chain and stops the step. */
export type StopVerdict = Extract<Verdict, "drop_chunk" | "skip" | "deny" | "block" | "halt">;

/** One row of a dialect's table: what one event of the system is here, and what can be said about it. */
export interface DialectRow {
  /** The event of the catalogue that it is. */
  readonly event: EventName;
  /**
   * Actions that the system can carry out there; any other is an `illegal-action` before composition. `continue`,
   * `notify` and `set_state` need nothing of the system and always belong to it.
   */
  readonly carries: readonly EventActionName[];
  /**
   * Actions that count for nothing there, where the system says so, and are otherwise faults. Only ever words of the
   * system itself: one that it does not know is no slip of the pen, and must not open a gate.
   */
  readonly ignores?: readonly ActionName[];
  /** Failure policy where neither manifest nor pack says one. Default: the catalogue's. */
  readonly onFailure?: FailurePolicy;
  /**
   * The wire form of every stop that a decision can hold there: of those it carries, and of what a fault that is
   * closed becomes. A stop without a form is an error to the host.
   */
  readonly stops: { readonly [V in StopVerdict]?: string };
  /** Fields of the message and the event's fields that they are. Those that need more than a name stand elsewhere. */
  readonly fields?: { readonly [wire: string]: string };
}

/** A message, understood. */
export interface Parsed<Row extends DialectRow = DialectRow> {
  /** The system's own name of its event. */
  readonly name: string;
  readonly row: Row;
  readonly message: Message;
  /** The event of the catalogue, not validated yet. */
  readonly event: { readonly [field: string]: unknown };
  /** Where fields of the event stand in the message, as JSON pointers, if the row's `fields` do not tell. */
  readonly places?: { readonly [field: string]: string };
}

/** A message about something that no hook can listen to: it is answered without one. */
export interface PassThrough {
  readonly row: null;
  readonly answer: unknown;
  /** Why, in words. */
  readonly note: string;
}

/** What a dialect may need to say a decision, beside the decision. */
export interface Helpers {
  /** Wraps what hooks wrote for the model in a fence that they cannot close. */
  readonly fence: (parts: readonly AttributedText[]) => string;
}

/** How one system speaks of its events and of what was decided: two pure functions and a table. */
export interface Dialect<Row extends DialectRow = DialectRow> {
  readonly name: string;
  /** The system, in a few words. */
  readonly system: string;
  /** By the system's own names of its events. */
  readonly rows: ReadonlyMap<string, Row>;
  /**
   * Event in.
   *
   * @throws {HookwardenError} `event-unknown`, `event-invalid` or `event-not-json` for a message that says no event.
   */
  parse(message: Message): Parsed<Row> | PassThrough;
  /**
   * Decision out. Is never asked to say a stop that the row has no form for.
   *
   * @throws {HookwardenError} `dialect-unsupported` for what cannot be said.
   */
  format(decision: Decision, parsed: Parsed<Row>, helpers: Helpers): unknown;
  /**
   * What the system refuses when hooks are registered.
   *
   * @throws {HookwardenError} `policy-invalid`
   */
  checkPack?(pack: LoadedPack): void;
}

/** A row of an event that hooks observe; what they return is ignored. */
export const observed = { carries: [], ignores: actionNames, onFailure: "open", stops: {} } as const;

/** Makes a table of rows. */
export function table<Row extends DialectRow>(rows: {
  readonly [name: string]: Row;
}): ReadonlyMap<string, Row> {
  return new Map(Object.entries(rows));
}
