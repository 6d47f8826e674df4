import { pointerPart, quote } from "@hookwarden/sandbox/json";
import type { ValidationError } from "../catalogue/index.ts";
import { didYouMean } from "../errors/index.ts";
import type { SchemaObject } from "./schema.ts";

export interface SchemaErrorText {
  /** JSON pointer of the value or key that is wrong. */
  readonly pointer: string;
  readonly message: string;
  /** What to do, where more can be said than to correct the value. */
  readonly fix?: string;
  /** The value at the pointer, where there is one. */
  readonly found: unknown;
}

/** Describes in one sentence what is wrong with a manifest, and suggests a correction. */
export function describeSchemaError(
  error: ValidationError,
  root: unknown,
  schema: SchemaObject,
): SchemaErrorText {
  const { instancePath: pointer, params } = error;
  const found = valueAt(root, pointer);
  const what = pointer === "" ? "the manifest" : `\`${lastName(pointer)}\``;
  switch (error.keyword) {
    case "additionalProperties":
      return unknownKey(pointer, String(params["additionalProperty"]), knownKeys(schema, pointer));
    case "required":
      return {
        pointer,
        message: `${what} lacks the key ${quote(String(params["missingProperty"]))}`,
        fix: "Add the key; docs/packs.md describes it.",
        found,
      };
    case "enum": {
      const allowed = Array.isArray(params["allowedValues"]) ? params["allowedValues"].map(String) : [];
      return { pointer, message: unknownValue(found, allowed), fix: "Correct the value.", found };
    }
    case "const":
      return {
        pointer,
        message: `${what} must be ${quote(JSON.stringify(params["allowedValue"]) ?? "")}, and is ${quote(JSON.stringify(found) ?? "")}`,
        ...(pointer === "/apiVersion" && typeof found === "number" && found > 1
          ? { fix: "Update hookwarden: the manifest is of a newer format." }
          : {}),
        found,
      };
    case "type":
      return {
        pointer,
        message: `${what} must be ${typeNames.get(String(params["type"])) ?? String(params["type"])}, and is ${typeName(found)}`,
        found,
      };
    case "pattern":
    case "not":
      return {
        pointer,
        message: `${quote(String(found))} is not a valid ${forms.get(lastName(pointer)) ?? `value of ${what}`}`,
        found,
      };
    default:
      return {
        pointer,
        message: `${what} ${error.message ?? "is not valid"}`.replace("must NOT", "must not"),
        found,
      };
  }
}

function unknownKey(pointer: string, key: string, keys: readonly string[]): SchemaErrorText {
  const hint = didYouMean(key, keys);
  const possible = hint === "" && keys.length > 0 ? `; possible here are ${list(keys)}` : hint;
  return {
    pointer: pointer + pointerPart(key),
    message: `the key ${quote(key)} is unknown${possible}`,
    fix: hint === "" ? "Remove the key." : "Correct the key.",
    found: undefined,
  };
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ["array", "an array"],
  ["object", "an object"],
  ["string", "a string"],
  ["integer", "an integer"],
  ["boolean", "`true` or `false`"],
]);

/** What a text must be, by the key that holds it. */
const forms: ReadonlyMap<string, string> = new Map([
  ["name", "name: use lowercase letters, digits and `-`, at most 64 characters"],
  ["version", "version: use a semantic version such as `1.0.0`"],
  ["entry", "path: use a relative path with `/`, such as `hook.ts`"],
]);

function unknownValue(found: unknown, allowed: readonly string[]): string {
  if (typeof found !== "string") return `must be one of ${list(allowed)}, and is ${typeName(found)}`;
  const hint = didYouMean(found, allowed);
  return `the name ${quote(found)} is unknown${hint === "" ? `; possible are ${list(allowed)}` : hint}`;
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function lastName(pointer: string): string {
  const parts = pointer.split("/");
  const index = parts.findLastIndex((part) => !/^\d*$/.test(part));
  return index < 0 ? pointer : parts.slice(index).join("/");
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The keys that the schema knows at a place of the manifest. */
function knownKeys(schema: SchemaObject, pointer: string): readonly string[] {
  let node: unknown = schema;
  for (const key of pointer.split("/").slice(1)) node = schemaOfMember(whole(node, schema), key);
  const properties = whole(node, schema)["properties"];
  return isContainer(properties) ? Object.keys(properties) : [];
}

function schemaOfMember(node: SchemaObject, key: string): unknown {
  const { properties, patternProperties, items } = node;
  if (isContainer(properties) && Object.hasOwn(properties, key)) return properties[key];
  return isContainer(patternProperties) ? Object.values(patternProperties)[0] : items;
}

/** A part of our own schemas with its reference followed: they have one at most, alone or in `allOf`. */
function whole(node: unknown, root: SchemaObject): SchemaObject {
  if (!isContainer(node)) return {};
  const { $ref, allOf } = node;
  if (typeof $ref === "string") return whole(valueAt(root, $ref.slice(1)), root);
  return Array.isArray(allOf) ? whole(allOf[0], root) : node;
}

/** The value at a JSON pointer, by own keys only. */
function valueAt(root: unknown, pointer: string): unknown {
  let value = root;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isContainer(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Arrays included: paths go through both. */
function isContainer(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
