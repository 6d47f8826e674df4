import type { ActionRow } from "../../src/catalogue/actions.ts";
import { commonFields, eventFields, payloadFields } from "../../src/catalogue/fields.ts";
import type { EventRow } from "../../src/catalogue/events.ts";
import { actionRows, eventRows } from "../../src/catalogue/lookup.ts";
import { type Field, type JsonSchema, schemaId } from "../../src/catalogue/schema.ts";

export type Schema = { [keyword: string]: unknown };
type Fields = { readonly [name: string]: Field };

const draft = "http://json-schema.org/draft-07/schema#";
/** `$id` of the one schema that holds all events and actions. */
export const catalogueId = schemaId("catalogue.schema.json");

/**
 * Names that would reach a prototype if anybody ever assigned them; no host has such a field. A pattern, since Ajv's
 * code for `not` makes an error for each name that is right.
 */
const forbiddenNames = { pattern: "^(?!(__proto__|constructor|prototype)$)" };

/** A table's schema as plain JSON Schema: without `tsType`, and with a union of bare types said as one `type`. */
export function plain(schema: JsonSchema): Schema {
  const { tsType: _, anyOf, items, properties, ...rest } = schema;
  const types = anyOf?.map((part) => (Object.keys(part).join() === "type" ? part.type : undefined));
  return {
    ...rest,
    ...(types && !types.includes(undefined) ? { type: types } : anyOf ? { anyOf: anyOf.map(plain) } : {}),
    ...(items ? { items: plain(items) } : {}),
    ...(properties
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, part]) => [name, plain(part)]),
          ),
        }
      : {}),
  };
}

/**
 * The schemas that are worth sharing: those that take more than a few comparisons, by the name of the first field
 * that has them. Sharing the simple ones would cost a call for each on the dispatch path, and save nothing.
 */
const shared: ReadonlyMap<string, string> = new Map(
  Object.entries({ ...payloadFields, ...eventFields } as Fields)
    .filter(([, { schema }]) => schema.items ?? schema.pattern)
    .map(([name, { schema }]): [string, string] => [JSON.stringify(plain(schema)), name])
    .reverse(),
);

/** Whether fields are written out, or refer to shared definitions. */
type Form = "whole" | "shared";

function fieldSchema({ schema, doc }: Field, form: Form): Schema {
  const body = plain(schema);
  const name = form === "shared" ? shared.get(JSON.stringify(body)) : undefined;
  // Draft-07 ignores what stands beside `$ref`, so that the description goes with the definition.
  return name ? { $ref: `${catalogueId}#/definitions/${name}` } : { ...body, description: doc };
}

function propertiesOf(fields: Fields, form: Form): Schema {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field, form)]));
}

function requiredOf(fields: Fields): string[] {
  return Object.entries(fields)
    .filter(([, field]) => !field.optional)
    .map(([name]) => name);
}

function eventSchema(name: string, row: EventRow, form: Form): Schema {
  const whole = form === "whole";
  const fields: Fields = whole ? { ...commonFields, ...row.fields } : row.fields;
  return {
    title: name,
    description: row.when,
    type: "object",
    ...(whole
      ? { propertyNames: forbiddenNames }
      : { allOf: [{ $ref: `${catalogueId}#/definitions/common` }] }),
    properties: { hook_event_name: { const: name }, ...propertiesOf(fields, form) },
    required: ["hook_event_name", ...requiredOf(fields)],
    additionalProperties: true,
  };
}

function actionSchema(name: string, row: ActionRow, form: Form): Schema {
  return {
    title: name,
    description: row.means,
    type: "object",
    properties: { action: { const: name }, ...propertiesOf(row.payload, form) },
    required: ["action", ...requiredOf(row.payload)],
    additionalProperties: false,
  };
}

/** The schemas of single events and actions, each whole in itself, by file name. */
export function singleSchemas(): Map<string, Schema> {
  const single = (path: string, schema: Schema): [string, Schema] => [
    path,
    { $schema: draft, $id: schemaId(path), ...schema },
  ];
  return new Map([
    ...[...eventRows].map(([name, row]) =>
      single(`events/${name}.schema.json`, eventSchema(name, row, "whole")),
    ),
    ...[...actionRows].map(([name, row]) =>
      single(`actions/${name}.schema.json`, actionSchema(name, row, "whole")),
    ),
  ]);
}

/** Where an event or action stands in the schema of the whole catalogue. */
export const reference = (name: string): string => `${catalogueId}#/definitions/${name}`;

/** One schema with everything: each event and action is a definition, and so is each part that they share. */
export function catalogueSchema(): Schema {
  const parts = Object.entries({ ...eventFields, ...payloadFields } as Fields)
    .filter(([name, { schema }]) => shared.get(JSON.stringify(plain(schema))) === name)
    .map(([name, { schema }]): [string, Schema] => [name, plain(schema)]);
  return {
    $schema: draft,
    $id: catalogueId,
    title: "Events and actions of hookwarden",
    definitions: {
      event: { oneOf: [...eventRows.keys()].map((name) => ({ $ref: reference(name) })) },
      action: { oneOf: [...actionRows.keys()].map((name) => ({ $ref: reference(name) })) },
      common: {
        type: "object",
        propertyNames: forbiddenNames,
        properties: propertiesOf(commonFields, "whole"),
        required: requiredOf(commonFields),
      },
      ...Object.fromEntries(parts),
      ...Object.fromEntries([...eventRows].map(([name, row]) => [name, eventSchema(name, row, "shared")])),
      ...Object.fromEntries([...actionRows].map(([name, row]) => [name, actionSchema(name, row, "shared")])),
    },
  };
}

/** What SchemaStore takes, so that editors find the schemas by the names of files. */
export function schemaCatalog(): object {
  return {
    $schema: "https://json.schemastore.org/schema-catalog.json",
    version: 1,
    schemas: [
      {
        name: "hookwarden pack",
        description: "Manifest of a pack of hooks for AI agents",
        fileMatch: ["hookwarden.json"],
        url: schemaId("hookwarden.schema.json"),
      },
      {
        name: "hookwarden hook",
        description:
          "Manifest of one hook of a pack; named by `$schema`, since other programs have a hook.json too",
        url: schemaId("hook.schema.json"),
      },
      {
        name: "hookwarden cases",
        description: "Tests of one hook; named by `$schema`, since other programs have a cases.json too",
        url: schemaId("cases.schema.json"),
      },
    ],
  };
}
