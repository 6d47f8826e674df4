import { canonicalJson, isObject, quote } from "../json/index.ts";
import { isMultiple } from "./decimal.ts";
import { possibleValues } from "./possible-values.ts";
import type { SchemaNode, SchemaProblem, SchemaRun } from "./types.ts";

/** Where a keyword is checked: its sibling keywords, and the position in the value. */
export interface KeywordContext {
  readonly node: SchemaNode;
  readonly pointer: string;
  readonly run: SchemaRun;
}

/**
 * One keyword: its value in the schema (of the form that `prepareSchema` has made sure of), the value to check, and
 * where. A keyword accepts all values of types that it does not apply to.
 */
export type KeywordCheck = (keyword: unknown, value: unknown, at: KeywordContext) => SchemaProblem | null;

type Members = { readonly [name: string]: unknown };

/** Checks a number against a bound. */
const bound =
  (holds: (value: number, limit: number) => boolean, words: string): KeywordCheck =>
  (limit, value, { pointer }) =>
    typeof value !== "number" || holds(value, limit as number)
      ? null
      : { pointer, message: `${words} ${String(limit)}` };

/** Checks the size of values of one type against a bound. */
const size =
  (
    measure: (value: unknown, run: SchemaRun) => number | null,
    maximum: boolean,
    unit: string,
  ): KeywordCheck =>
  (limit, value, { pointer, run }) => {
    const measured = measure(value, run);
    if (measured === null || (maximum ? measured <= (limit as number) : measured >= (limit as number)))
      return null;
    return { pointer, message: `has ${maximum ? "more" : "less"} than ${String(limit)} ${unit}` };
  };

const characters = (value: unknown, run: SchemaRun): number | null => {
  if (typeof value !== "string") return null;
  run.spend(value.length >>> 6);
  let count = 0;
  for (let at = 0; at < value.length; at += value.codePointAt(at)! > 0xffff ? 2 : 1) count++;
  return count;
};
const items = (value: unknown): number | null => (Array.isArray(value) ? value.length : null);
const members = (value: unknown): number | null => (isObject(value) ? Object.keys(value).length : null);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function hasType(value: unknown, type: unknown): boolean {
  return type === "integer" ? Number.isInteger(value) : typeOf(value) === type;
}

/** A value as text, for comparing; its size counts as work. */
function text(value: unknown, run: SchemaRun): string {
  if (typeof value !== "object" || value === null)
    return typeof value === "string" ? `"${value}` : String(value);
  const json = canonicalJson(value);
  run.spend(json.length >>> 6);
  return json;
}

function matches(pattern: string, name: string, run: SchemaRun): boolean {
  const compiled = run.prepared.patterns.get(pattern);
  if (!compiled) return false;
  run.spend(1 + ((name.length * compiled.programSize()) >>> 2));
  return compiled.test(name);
}

/** The first problem of many members; `null` where there is none. */
function first<T>(
  list: readonly T[],
  check: (entry: T, index: number) => SchemaProblem | null,
): SchemaProblem | null {
  for (const [index, entry] of list.entries()) {
    const problem = check(entry, index);
    if (problem) return problem;
  }
  return null;
}

const required: KeywordCheck = (names, value, { pointer, run }) => {
  if (!isObject(value)) return null;
  run.spend((names as string[]).length);
  const name = (names as string[]).find((one) => !Object.hasOwn(value, one));
  return name === undefined ? null : { pointer, message: `lacks ${quote(name)}` };
};

const additionalProperties: KeywordCheck = (schema, value, { node, pointer, run }) => {
  if (!isObject(value)) return null;
  const properties = (node["properties"] ?? {}) as Members;
  const patterns = Object.keys((node["patternProperties"] ?? {}) as Members);
  return first(Object.keys(value), (name) => {
    run.spend(1);
    if (Object.hasOwn(properties, name) || patterns.some((pattern) => matches(pattern, name, run)))
      return null;
    if (schema === false) return { pointer, message: `has ${quote(name)}, which the schema does not know` };
    return run.member(schema, value[name], pointer, name);
  });
};

const patternProperties: KeywordCheck = (schemas, value, { pointer, run }) => {
  if (!isObject(value)) return null;
  return first(Object.entries(schemas as Members), ([pattern, schema]) =>
    first(Object.keys(value), (name) =>
      matches(pattern, name, run) ? run.member(schema, value[name], pointer, name) : null,
    ),
  );
};

const properties: KeywordCheck = (schemas, value, { pointer, run }) => {
  if (!isObject(value)) return null;
  return first(Object.keys(schemas as Members), (name) => {
    run.spend(1);
    return Object.hasOwn(value, name)
      ? run.member((schemas as Members)[name], value[name], pointer, name)
      : null;
  });
};

const prefixItems: KeywordCheck = (schemas, value, { pointer, run }) => {
  if (!Array.isArray(value)) return null;
  const list = schemas as readonly unknown[];
  return first(list.slice(0, value.length), (schema, index) =>
    run.member(schema, value[index], pointer, index),
  );
};

function rest(
  schema: unknown,
  value: unknown,
  start: number,
  { pointer, run }: KeywordContext,
): SchemaProblem | null {
  if (!Array.isArray(value)) return null;
  return first(value.slice(start), (item, index) => run.member(schema, item, pointer, start + index));
}

const itemsCheck: KeywordCheck = (schema, value, at) => {
  if (Array.isArray(schema)) return prefixItems(schema, value, at);
  const prefix = at.node["prefixItems"];
  return rest(schema, value, Array.isArray(prefix) ? prefix.length : 0, at);
};

const contains: KeywordCheck = (schema, value, { node, pointer, run }) => {
  if (!Array.isArray(value)) return null;
  const least = (node["minContains"] ?? 1) as number;
  const most = (node["maxContains"] ?? Infinity) as number;
  const count = value.filter((item, index) => run.member(schema, item, pointer, index) === null).length;
  if (count >= least && count <= most) return null;
  return { pointer, message: `has ${count} items of a kind of which it must have ${least} or more` };
};

const uniqueItems: KeywordCheck = (unique, value, { pointer, run }) => {
  if (unique !== true || !Array.isArray(value)) return null;
  const seen = new Set<string>();
  return first(value, (item, index) => {
    run.spend(1);
    const key = text(item, run);
    if (seen.has(key)) return { pointer: `${pointer}/${index}`, message: "occurs twice in its list" };
    seen.add(key);
    return null;
  });
};

const oneOf: KeywordCheck = (schemas, value, { pointer, run }) => {
  const count = (schemas as readonly unknown[]).filter(
    (schema) => run.check(schema, value, pointer) === null,
  ).length;
  if (count === 1) return null;
  return {
    pointer,
    message: count === 0 ? "is none of the forms that it can have" : "is of more than one form",
  };
};

const conditional: KeywordCheck = (condition, value, { node, pointer, run }) => {
  const branch = run.check(condition, value, pointer) === null ? node["then"] : node["else"];
  return branch === undefined ? null : run.check(branch, value, pointer);
};

const dependencies: KeywordCheck = (parts, value, at) => {
  if (!isObject(value)) return null;
  return first(Object.entries(parts as Members), ([name, part]) => {
    at.run.spend(1);
    if (!Object.hasOwn(value, name)) return null;
    return Array.isArray(part) ? required(part, value, at) : at.run.check(part, value, at.pointer);
  });
};

/** Every keyword that can refuse a value. */
export const checks: ReadonlyMap<string, KeywordCheck> = new Map<string, KeywordCheck>([
  [
    "$ref",
    (ref, value, { pointer, run }) =>
      run.check(run.prepared.refs.get(ref as string) ?? false, value, pointer),
  ],
  [
    "type",
    (types, value, { pointer }) =>
      [types].flat().some((type) => hasType(value, type))
        ? null
        : { pointer, message: `is of type ${typeOf(value)}, not ${[types].flat().join(" or ")}` },
  ],
  [
    "enum",
    (values, value, { pointer, run }) => {
      run.spend((values as unknown[]).length);
      const wanted = text(value, run);
      return (values as unknown[]).some((one) => text(one, run) === wanted)
        ? null
        : { pointer, message: `must be ${possibleValues(values as unknown[], value)}` };
    },
  ],
  [
    "const",
    (constant, value, { pointer, run }) =>
      text(constant, run) === text(value, run)
        ? null
        : { pointer, message: "is not the value that it must have" },
  ],
  ["minimum", bound((value, limit) => value >= limit, "is less than")],
  ["maximum", bound((value, limit) => value <= limit, "is more than")],
  ["exclusiveMinimum", bound((value, limit) => value > limit, "is not more than")],
  ["exclusiveMaximum", bound((value, limit) => value < limit, "is not less than")],
  ["multipleOf", bound(isMultiple, "is not a multiple of")],
  ["minLength", size(characters, false, "characters")],
  ["maxLength", size(characters, true, "characters")],
  [
    "pattern",
    (pattern, value, { pointer, run }) =>
      typeof value !== "string" || matches(pattern as string, value, run)
        ? null
        : { pointer, message: `does not match ${quote(pattern as string)}` },
  ],
  ["prefixItems", prefixItems],
  ["items", itemsCheck],
  [
    "additionalItems",
    (schema, value, at) => {
      const tuple = at.node["items"];
      return Array.isArray(tuple) ? rest(schema, value, tuple.length, at) : null;
    },
  ],
  ["contains", contains],
  ["minItems", size(items, false, "items")],
  ["maxItems", size(items, true, "items")],
  ["uniqueItems", uniqueItems],
  ["properties", properties],
  ["patternProperties", patternProperties],
  ["additionalProperties", additionalProperties],
  [
    "propertyNames",
    (schema, value, { pointer, run }) =>
      isObject(value) ? first(Object.keys(value), (name) => run.member(schema, name, pointer, name)) : null,
  ],
  ["required", required],
  ["minProperties", size(members, false, "members")],
  ["maxProperties", size(members, true, "members")],
  ["dependencies", dependencies],
  ["dependentRequired", dependencies],
  ["dependentSchemas", dependencies],
  [
    "allOf",
    (schemas, value, at) => first(schemas as unknown[], (schema) => at.run.check(schema, value, at.pointer)),
  ],
  [
    "anyOf",
    (schemas, value, { pointer, run }) => {
      let likely: SchemaProblem | null = null;
      for (const schema of schemas as unknown[]) {
        const problem = run.check(schema, value, pointer);
        if (problem === null) return null;
        // The form that was probably meant is one that is at least of the right type.
        if (likely === null || likely.message.startsWith("is of type ")) likely = problem;
      }
      return likely;
    },
  ],
  ["oneOf", oneOf],
  [
    "not",
    (schema, value, { pointer, run }) =>
      run.check(schema, value, pointer) === null
        ? { pointer, message: "is of a form that it must not have" }
        : null,
  ],
  ["if", conditional],
]);
