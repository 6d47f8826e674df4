import { isObject, type JsonObject } from "./message.ts";

/** Words in a schema, which validate nothing. */
const words: ReadonlySet<string> = new Set(["title", "description", "default", "examples", "$comment"]);
/** Members of a schema with a schema for each name. */
const byName: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "definitions"]);

/** A tool as a client needs it to call it: its name, and its input's schema without the words for the model. */
export function bareTool({ name, inputSchema }: JsonObject): JsonObject {
  return { name, inputSchema: bareSchema(inputSchema) };
}

function bareSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(bareSchema);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => !words.has(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, inner(key, value)]));
}

function inner(key: string, value: unknown): unknown {
  if (byName.has(key) && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, bareSchema(schema)]));
  // What a value may be is data, and not a schema.
  return key === "enum" || key === "const" ? value : bareSchema(value);
}
