import { type Field, type JsonSchema, actionRows, eventRows } from "../../src/catalogue/index.ts";
import { commonFields } from "../../src/catalogue/fields.ts";

type Fields = { readonly [name: string]: Field };
export type Json = { [field: string]: unknown };

/** A value that a schema of the tables accepts, as small as possible. */
export function sampleOf(schema: JsonSchema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf[0]!);
  if (schema.format === "date-time") return "2026-03-01T12:00:00Z";
  switch (schema.type) {
    case "string":
      return "x".repeat(schema.minLength ?? 0);
    case "number":
    case "integer":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items ?? {}));
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      );
    default:
      return 0;
  }
}

const take = (fields: Fields, all: boolean): Json =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => all || !field.optional)
      .map(([name, field]) => [name, sampleOf(field.schema)]),
  );

/** The fields of an event by name, those of every event included. */
export function eventFieldsOf(name: string): Fields {
  return { ...commonFields, ...eventRows.get(name)!.fields };
}

/** A valid event; with `all`, optional fields too. */
export function sampleEvent(name: string, all = false): Json {
  return { hook_event_name: name, ...take(eventFieldsOf(name), all) };
}

/** A valid action; with `all`, optional fields too. */
export function sampleAction(name: string, all = false): Json {
  return { action: name, ...take(actionRows.get(name)!.payload, all) };
}

/** Values that a schema refuses for their type alone; none where it takes anything. */
export function wrongTypes(schema: JsonSchema): unknown[] {
  const taken = schema.anyOf ? schema.anyOf.map(({ type }) => type) : [schema.type];
  if (taken.includes(undefined)) return [];
  const values: readonly (readonly [string, unknown])[] = [
    ["string", "text"],
    ["number", 1.5],
    ["boolean", true],
    ["null", null],
    ["array", []],
    ["object", {}],
  ];
  return values.filter(([type]) => !taken.includes(type as never)).map(([, value]) => value);
}

/** The same object without a prototype, as the strict parser makes it. */
export function bare(value: Json): Json {
  return Object.assign(Object.create(null) as Json, value);
}
