import type { EventName, JsonSchema } from "../catalogue/index.ts";

/** Why a fact is not known. */
export const unknownReasons = {
  absent: "the event lacks the field that the fact comes from",
  "too-long": "the text is longer than the fact's limit",
  "too-deep": "the text nests deeper than the fact's limit",
  "too-many": "the text has more parts than the fact's limit",
  host: "the host could not derive its fact",
  language: "the text is in a language that the fact does not read",
} as const;
export type UnknownReason = keyof typeof unknownReasons;

/** What a fact costs to derive from an ordinary event. */
export type CostClass = "low" | "medium" | "high";

/** A type that values of a fact are made of, for the generated types and docs. */
export interface FactType {
  readonly doc: string;
  readonly schema: JsonSchema;
}

/** One row of the table of facts. */
export interface FactRow {
  /**
   * `major.minor`. Hooks pin the major version, which changes when a value's form or meaning does. The minor version
   * changes with every other change of what is derived; a replay compares both.
   */
  readonly version: `${number}.${number}`;
  readonly doc: string;
  /** The events that have the fact. */
  readonly events: readonly EventName[];
  /** The fields that it is derived from. */
  readonly from: readonly string[];
  /** The facts that it is derived from: where one of them is not known, it is not known for the same reason. */
  readonly uses?: readonly string[];
  readonly cost: CostClass;
  /** Beyond these, the value is `{ ok: false }`. They count the input, so that the same event gives the same fact. */
  readonly limits: { readonly [limit: string]: { readonly maximum: number; readonly doc: string } };
  /** Members of the value beside `ok`. */
  readonly members: { readonly [member: string]: FactType };
  readonly types?: { readonly [type: string]: FactType };
}

/** A fact as hooks see it. */
export type Fact<Members> = (Members & { readonly ok: true }) | NotKnown;
export interface NotKnown {
  readonly ok: false;
  readonly why: UnknownReason;
}

/** The fact is not known. */
export function notKnown(why: UnknownReason): NotKnown {
  return { ok: false, why };
}
