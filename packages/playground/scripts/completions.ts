import {
  type ActionName,
  actionNames,
  actionRows,
  eventNames,
  eventRows,
  legalActions,
  type Field,
} from "hookwarden/catalogue";
import { commonFields } from "../../../src/catalogue/fields.ts";
import type { Completions, FieldHint } from "../src/completions.ts";
import { hookManifestSchema, packManifestSchema, type SchemaObject } from "../../../src/pack/schema.ts";
import { helperName } from "../../../scripts/generate/helpers.ts";
import { typeOf } from "../../../scripts/generate/types.ts";

/** Everything that the playground's editors can complete, drawn from the catalogue's tables and the manifests' schemas. */
export function completions(): Completions {
  return {
    events: eventNames.map((name) => {
      const row = eventRows.get(name)!;
      const fields: { readonly [field: string]: Field } = { ...commonFields, ...row.fields };
      return {
        name,
        when: row.when,
        fields: Object.entries(fields).map(([field, of]) => fieldHint(field, of)),
        actions: [...legalActions(name)],
        matches: row.matches ?? null,
      };
    }),
    actions: actionNames.map(actionHint),
    hookKeys: keysOf(hookManifestSchema()),
    packKeys: keysOf(packManifestSchema()),
  };
}

function fieldHint(name: string, { schema, doc, optional }: Field): FieldHint {
  return {
    name,
    type: typeOf(schema),
    doc,
    optional: optional === true,
    values: (schema.enum ?? []) as string[],
  };
}

function actionHint(name: ActionName): Completions["actions"][number] {
  const row = actionRows.get(name)!;
  const fields = Object.entries(row.payload);
  const parameters = fields.map(([field, { optional }]) => (optional ? `${field}?` : field));
  return {
    name,
    helper: helperName(name),
    signature: `(${parameters.join(", ")})`,
    means: row.means,
    kind: row.kind,
  };
}

function keysOf(schema: SchemaObject): readonly FieldHint[] {
  const required = new Set((schema.required as readonly string[] | undefined) ?? []);
  return Object.entries((schema.properties ?? {}) as { [key: string]: SchemaObject }).map(([name, of]) => ({
    name,
    type: typeof of.type === "string" ? of.type : "value",
    doc: typeof of.description === "string" ? of.description : "",
    optional: !required.has(name),
    values: ((of.enum as unknown[] | undefined) ?? []).filter((value) => typeof value === "string"),
  }));
}
