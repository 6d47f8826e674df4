import type { RE2JS } from "re2js";

/** What is wrong with a schema or a value. */
export interface SchemaProblem {
  /** JSON pointer into the schema or the value. */
  readonly pointer: string;
  /** Without a subject: `is longer than 5 characters`. */
  readonly message: string;
}

/** A schema that has been accepted: its keywords have the types that they must have. */
export type SchemaNode = { readonly [keyword: string]: unknown };

/** Precomputed data of an accepted schema. */
export interface PreparedSchema {
  /** By their text. */
  readonly patterns: ReadonlyMap<string, RE2JS>;
  /** Targets of `$ref`, by its text. */
  readonly refs: ReadonlyMap<string, unknown>;
  /** Up to draft 7, siblings of `$ref` are ignored. */
  readonly legacy: boolean;
}

/** One check of one value. */
export interface SchemaRun {
  readonly prepared: PreparedSchema;
  /** Counts work, and ends the check where it is too much. */
  spend(units: number): void;
  /** Checks a value, found at `pointer`, against a part of the schema. */
  check(schema: unknown, value: unknown, pointer: string): SchemaProblem | null;
  /** Checks one member of an object or array. */
  member(schema: unknown, value: unknown, pointer: string, key: string | number): SchemaProblem | null;
}
