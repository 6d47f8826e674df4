import type { Schema } from "./route.ts";

export const text: Schema = { type: "string" };
export const count: Schema = { type: "integer", minimum: 0 };
export const flag: Schema = { type: "boolean" };

/** A value of a schema, or `null`. */
export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: "null" }] };
}

/** An object with exactly these members; those in `optional` may be absent. */
export function object(
  properties: { readonly [name: string]: Schema },
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

/** An array. */
export function listOf(items: Schema, maxItems?: number): Schema {
  return { type: "array", items, ...(maxItems === undefined ? {} : { maxItems }) };
}

/** What was wrong with the caller's input, and where; each member only where it is known. */
export const detail = { message: text, file: text, line: count, column: count, pointer: text };
export const detailNames = Object.keys(detail);
