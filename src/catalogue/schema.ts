/**
 * `$id` of a published schema: a stable address. The folder `schemas/` in the repository holds the files.
 *
 * @param path path in the version's folder, such as `hook.schema.json`.
 */
export function schemaId(path: string): string {
  return `https://raw.githubusercontent.com/hookwarden/hookwarden/main/schemas/v1/${path}`;
}

/**
 * The subset of JSON Schema (draft-07 keywords, as Ajv reads them) that the catalogue's tables use.
 * Narrow on purpose: what stands here can be turned into types and documentation without surprises.
 */
export interface JsonSchema {
  readonly type?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly description?: string;
  /** The type to print in generated TypeScript, where the schema alone says too little. */
  readonly tsType?: string;
}

/** One field of an event or of an action's payload. */
export interface Field {
  readonly schema: JsonSchema;
  readonly doc: string;
  /** `true` where the field may be absent. */
  readonly optional?: true;
}
