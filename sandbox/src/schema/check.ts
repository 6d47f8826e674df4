import { pointerPart } from "../json/index.ts";
import { prepareSchema } from "./accept.ts";
import { checks } from "./keywords.ts";
import type { PreparedSchema, SchemaNode, SchemaProblem, SchemaRun } from "./types.ts";

export type { SchemaProblem } from "./types.ts";

/**
 * JSON Schemas that strangers wrote: of a hook's configuration, of a tool's input. They are walked, never compiled to
 * code, and they are held to limits, because libraries for JSON Schema are made for schemas of one's own: those that
 * interpret run `pattern` on a backtracking engine and follow `$ref`s for as long as it takes.
 */

/** Limits of checking one value. */
export const checkLimits = {
  /** Most units of work: a keyword, a member, 64 characters of a text, or 4 of its steps through a pattern. */
  work: 500_000,
  /** Most schemas that are entered one inside the other, `$ref`s included. */
  depth: 256,
} as const;

const prepared = new WeakMap<object, PreparedSchema>();

/**
 * Whether a schema can be used: `null`, or what is wrong with it. Drafts 4 to 2020-12 as they are commonly used: all
 * assertions but `format` (not asserted here) and `unevaluated…` (refused); unknown keywords are ignored.
 * `$ref` stays inside the schema. A `pattern` has RE2's syntax, and time linear in the text.
 */
export function acceptSchema(schema: unknown): SchemaProblem | null {
  if (typeof schema === "boolean") return null;
  const result = prepareSchema(schema);
  if (!result.ok) return result.problem;
  prepared.set(schema as object, result.prepared);
  return null;
}

/**
 * Checks a value, as `readJson` makes it, against a schema: `null`, or the first thing that is wrong with the value. A
 * value that takes more work than `checkLimits` allow is wrong for that, and so is every value for a schema that
 * `acceptSchema` does not take. What was learnt of a schema is kept as long as the schema: do not change it.
 */
export function checkAgainst(schema: unknown, value: unknown): SchemaProblem | null {
  if (schema === true) return null;
  if (schema === false) return { pointer: "", message: "is not allowed by the schema" };
  if (typeof schema === "object" && schema !== null && !prepared.has(schema)) {
    const problem = acceptSchema(schema);
    if (problem) return { pointer: "", message: `cannot be checked, because the schema ${problem.message}` };
  }
  const known = prepared.get(schema as object);
  if (!known) return { pointer: "", message: "cannot be checked, because the schema is not an object" };
  return new Run(known).root(schema as object, value);
}

class TooMuchWork extends Error {}

class Run implements SchemaRun {
  readonly prepared: PreparedSchema;
  #work = 0;
  #depth = 0;

  constructor(known: PreparedSchema) {
    this.prepared = known;
  }

  root(schema: object, value: unknown): SchemaProblem | null {
    try {
      return this.check(schema, value, "");
    } catch (error) {
      if (error instanceof TooMuchWork) return { pointer: "", message: "takes too much work to check" };
      throw error;
    }
  }

  spend(units: number): void {
    this.#work += units;
    if (this.#work > checkLimits.work) throw new TooMuchWork();
  }

  check(schema: unknown, value: unknown, pointer: string): SchemaProblem | null {
    if (typeof schema === "boolean")
      return schema ? null : { pointer, message: "is not allowed by the schema" };
    if (++this.#depth > checkLimits.depth) throw new TooMuchWork();
    const node = schema as SchemaNode;
    for (const keyword of Object.keys(node)) {
      this.spend(1);
      if (this.prepared.legacy && keyword !== "$ref" && Object.hasOwn(node, "$ref")) continue;
      const problem = checks.get(keyword)?.(node[keyword], value, { node, pointer, run: this }) ?? null;
      if (problem) {
        this.#depth--;
        return problem;
      }
    }
    this.#depth--;
    return null;
  }

  member(schema: unknown, value: unknown, pointer: string, key: string | number): SchemaProblem | null {
    this.spend(1);
    return this.check(schema, value, pointer + pointerPart(key));
  }
}
