import { RE2JS } from "re2js";
import { isObject, pointerPart, quote } from "../json/index.ts";
import type { PreparedSchema, SchemaProblem } from "./types.ts";

/** Limits of a schema that a stranger wrote. */
export const schemaLimits = {
  /** Most schemas inside each other. */
  depth: 32,
  /** Most schemas in it. */
  schemas: 2_000,
  /** Most values of one `enum`. */
  enum: 1_000,
  /** Largest constant of `const` or `enum`, in levels of nesting. */
  constantDepth: 16,
  /** Most patterns. */
  patterns: 100,
  /** Longest pattern, in UTF-16 code units. */
  patternLength: 512,
  /** Largest compiled pattern, in instructions. */
  patternInstructions: 160,
} as const;

export type Preparation =
  | { readonly ok: true; readonly prepared: PreparedSchema }
  | { readonly ok: false; readonly problem: SchemaProblem };

/** What the value of a keyword must be. */
type Shape =
  | "schema"
  | "schemas"
  | "schemaMap"
  | "patternMap"
  | "dependencies"
  | "schemaOrSchemas"
  | "count"
  | "number"
  | "positive"
  | "boolean"
  | "pattern"
  | "names"
  | "nameMap"
  | "types"
  | "enum"
  | "constant"
  | "ref"
  | "refused";

/** Every keyword that has a meaning here, with the shape of its value. All others are ignored. */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["$ref", "ref"],
  ["$defs", "schemaMap"],
  ["definitions", "schemaMap"],
  ["type", "types"],
  ["enum", "enum"],
  ["const", "constant"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["multipleOf", "positive"],
  ["minLength", "count"],
  ["maxLength", "count"],
  ["pattern", "pattern"],
  ["items", "schemaOrSchemas"],
  ["prefixItems", "schemas"],
  ["additionalItems", "schema"],
  ["contains", "schema"],
  ["minContains", "count"],
  ["maxContains", "count"],
  ["minItems", "count"],
  ["maxItems", "count"],
  ["uniqueItems", "boolean"],
  ["properties", "schemaMap"],
  ["patternProperties", "patternMap"],
  ["additionalProperties", "schema"],
  ["propertyNames", "schema"],
  ["required", "names"],
  ["minProperties", "count"],
  ["maxProperties", "count"],
  ["dependencies", "dependencies"],
  ["dependentRequired", "nameMap"],
  ["dependentSchemas", "schemaMap"],
  ["allOf", "schemas"],
  ["anyOf", "schemas"],
  ["oneOf", "schemas"],
  ["not", "schema"],
  ["if", "schema"],
  ["then", "schema"],
  ["else", "schema"],
  // To pass over these would accept what the schema refuses.
  ["unevaluatedProperties", "refused"],
  ["unevaluatedItems", "refused"],
  ["$dynamicRef", "refused"],
  ["$recursiveRef", "refused"],
]);

const typeNames: ReadonlySet<unknown> = new Set([
  "null",
  "boolean",
  "object",
  "array",
  "number",
  "integer",
  "string",
]);

class Refused extends Error {
  readonly problem: SchemaProblem;
  constructor(pointer: string, message: string) {
    super(message);
    this.problem = { pointer, message };
  }
}

/** Checks a schema's shape and limits, compiles its patterns and resolves its references. */
export function prepareSchema(schema: unknown): Preparation {
  const preparer = new Preparer(schema);
  try {
    preparer.all();
    return { ok: true, prepared: preparer };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, problem: error.problem };
    throw error;
  }
}

type SchemaMap = { readonly [name: string]: unknown };

/** A keyword of a schema, with its value and position. */
interface KeywordUse {
  readonly keyword: string;
  readonly shape: Shape;
  readonly value: unknown;
  readonly pointer: string;
  readonly depth: number;
}

class Preparer implements PreparedSchema {
  readonly patterns = new Map<string, RE2JS>();
  readonly refs = new Map<string, unknown>();
  readonly legacy: boolean;
  readonly #root: unknown;
  readonly #seen = new Set<unknown>();

  constructor(root: unknown) {
    this.#root = root;
    const draft = isObject(root) ? root["$schema"] : undefined;
    this.legacy = typeof draft === "string" && /\/draft-0[4-7]\//.test(draft);
  }

  /** The schema and all referenced schemas. Uses a work list: a chain of references must not overflow the stack. */
  all(): void {
    this.#schema(this.#root, "", 1);
    for (const [ref, target] of this.refs) this.#schema(target, ref.slice(1), 1);
  }

  #schema(schema: unknown, pointer: string, depth: number): void {
    if (typeof schema === "boolean") return;
    if (!isObject(schema)) throw new Refused(pointer, "is neither an object nor a boolean");
    if (this.#seen.has(schema)) return;
    this.#seen.add(schema);
    if (depth > schemaLimits.depth)
      throw new Refused(pointer, `nests deeper than ${schemaLimits.depth} levels`);
    if (this.#seen.size > schemaLimits.schemas)
      throw new Refused(pointer, `has more than ${schemaLimits.schemas} parts`);
    if (pointer !== "" && (Object.hasOwn(schema, "$id") || Object.hasOwn(schema, "id"))) {
      // With an identifier inside, references below it would mean something else.
      const id = schema["$id"] ?? schema["id"];
      if (typeof id === "string") throw new Refused(pointer, "has a part with an identifier of its own");
    }
    for (const [keyword, value] of Object.entries(schema)) {
      const shape = shapes.get(keyword);
      if (shape) this.#keyword({ keyword, shape, value, pointer: pointer + pointerPart(keyword), depth });
    }
  }

  #keyword({ keyword, shape, value, pointer, depth }: KeywordUse): void {
    const wrong = (what: string): never => {
      throw new Refused(pointer, `has a ${quote(keyword)} that is ${what}`);
    };
    const inner = (schema: unknown, key: string | number): void =>
      this.#schema(schema, pointer + pointerPart(key), depth + 1);
    switch (shape) {
      case "schema":
        return this.#schema(value, pointer, depth + 1);
      case "schemas":
        return Array.isArray(value) && value.length > 0 ? value.forEach(inner) : wrong("no list of schemas");
      case "schemaOrSchemas":
        return Array.isArray(value) ? value.forEach(inner) : this.#schema(value, pointer, depth + 1);
      case "schemaMap":
        return this.#map(value, wrong).forEach(([name, schema]) => inner(schema, name));
      case "patternMap":
        return this.#map(value, wrong).forEach(([name, schema]) => {
          this.#pattern(name, pointer + pointerPart(name));
          inner(schema, name);
        });
      case "dependencies":
        return this.#map(value, wrong).forEach(([name, part]) => {
          if (Array.isArray(part)) this.#names(part, wrong);
          else inner(part, name);
        });
      case "nameMap":
        return this.#map(value, wrong).forEach(([, names]) => this.#names(names, wrong));
      case "names":
        return this.#names(value, wrong);
      case "count":
        return Number.isInteger(value) && Number(value) >= 0 ? undefined : wrong("no count");
      case "number":
        return typeof value === "number" ? undefined : wrong("no number");
      case "positive":
        return typeof value === "number" && value > 0 ? undefined : wrong("no positive number");
      case "boolean":
        return typeof value === "boolean" ? undefined : wrong("no boolean");
      case "pattern":
        return typeof value === "string" ? this.#pattern(value, pointer) : wrong("no text");
      case "types":
        return [value].flat().every((type) => typeNames.has(type)) ? undefined : wrong("no type");
      case "enum":
        if (!Array.isArray(value)) return wrong("no list");
        if (value.length > schemaLimits.enum) return wrong(`longer than ${schemaLimits.enum} values`);
        return value.forEach((constant) => this.#constant(constant, 1, wrong));
      case "constant":
        return this.#constant(value, 1, wrong);
      case "ref":
        return typeof value === "string" ? this.#ref(value, pointer) : wrong("no text");
      case "refused":
        return wrong("not supported");
    }
  }

  #map(value: unknown, wrong: (what: string) => never): [string, unknown][] {
    return isObject(value) ? Object.entries(value) : wrong("no object");
  }

  #names(value: unknown, wrong: (what: string) => never): void {
    if (!Array.isArray(value) || !value.every((name) => typeof name === "string")) wrong("no list of names");
  }

  #constant(value: unknown, depth: number, wrong: (what: string) => never): void {
    if (typeof value !== "object" || value === null) return;
    if (depth > schemaLimits.constantDepth) wrong(`nested deeper than ${schemaLimits.constantDepth} levels`);
    for (const member of Object.values(value)) this.#constant(member, depth + 1, wrong);
  }

  #pattern(source: string, pointer: string): void {
    if (this.patterns.has(source)) return;
    if (this.patterns.size >= schemaLimits.patterns) throw new Refused(pointer, "has too many patterns");
    if (source.length > schemaLimits.patternLength)
      throw new Refused(pointer, "has a pattern that is too long");
    let compiled: RE2JS;
    try {
      compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    } catch {
      throw new Refused(pointer, `has a pattern ${quote(source)} that the linear-time engine cannot run`);
    }
    if (compiled.programSize() > schemaLimits.patternInstructions) {
      throw new Refused(pointer, `has a pattern ${quote(source)} that is too large when compiled`);
    }
    this.patterns.set(source, compiled);
  }

  #ref(ref: string, pointer: string): void {
    if (this.refs.has(ref)) return;
    if (ref !== "#" && !ref.startsWith("#/")) {
      throw new Refused(pointer, `refers to ${quote(ref)}, which is not a place in itself`);
    }
    const target = this.#target(ref);
    if (target === undefined) throw new Refused(pointer, `refers to ${quote(ref)}, which is not there`);
    this.refs.set(ref, target);
  }

  #target(ref: string): unknown {
    let target: unknown = this.#root;
    for (const part of ref.split("/").slice(1)) {
      const key = unescaped(part);
      if (key === null || typeof target !== "object" || target === null || !Object.hasOwn(target, key))
        return undefined;
      target = (target as SchemaMap)[key];
    }
    return target;
  }
}

/** A part of a JSON pointer in a URI fragment; `null` where it is none. */
function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return null;
  }
}
