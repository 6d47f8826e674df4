import { limitNames, limitTable } from "@hookwarden/sandbox";
import { actionNames, eventNames, schemaId } from "../catalogue/index.ts";
import { conditionLimits, factNames } from "../facts/index.ts";
import { budgetTable, manifestLimits, stateLimits } from "./limits.ts";

/** A JSON Schema (draft-07) as plain data. */
export type SchemaObject = { readonly [keyword: string]: unknown };

/**
 * Name of a hook or pack: what DNS calls a label, so that it can stand in a path, a URL and a log without escaping.
 * Every pattern here is linear: no repetition can match the same text in two ways.
 */
export const namePattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$";

const digits = "(0|[1-9][0-9]*)";
const prerelease = `(${digits}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
/** A semantic version 2.0.0. */
export const versionPattern =
  `^${digits}\\.${digits}\\.${digits}(-${prerelease}(\\.${prerelease})*)?` +
  "(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$";

// One part of a path: anything but `.` and `..`, without separators of any system, drive letters and control characters.
const rest = "[^/\\\\:\\u0000-\\u001f\\u007f]";
const first = "[^./\\\\:\\u0000-\\u001f\\u007f]";
const part = `(${first}${rest}*|\\.${first}${rest}*|\\.\\.${rest}+)`;

/** A relative POSIX path that cannot leave its folder by its text alone (links are the loader's matter). */
export const pathPattern = `^(\\./)?${part}(/${part})*$`;

const segment = "[^.*\\u0000-\\u001f\\u007f]+";
/** `*`, or names joined by dots. */
export const readPattern = `^(\\*|${segment}(\\.${segment})*)$`;
const forbiddenSegment = "(^|\\.)(__proto__|constructor|prototype)(\\.|$)";

const name = { type: "string", minLength: 1, maxLength: 64, pattern: namePattern };
const version = { type: "string", maxLength: manifestLimits.versionLength, pattern: versionPattern };
const description = { type: "string", maxLength: manifestLimits.descriptionLength };
const path = { type: "string", minLength: 1, maxLength: manifestLimits.pathLength, pattern: pathPattern };
const failurePolicy = { type: "string", enum: ["open", "closed"] };
const editorSchema = { type: "string", maxLength: 512, description: "for editors; not read" };

const closedObject = (properties: SchemaObject, required: readonly string[] = []): SchemaObject => ({
  type: "object",
  properties,
  ...(required.length > 0 ? { required } : {}),
  additionalProperties: false,
});

const integer = (row: {
  minimum: number;
  ceiling: number;
  default?: number;
  means: string;
  unit: string;
}): SchemaObject => ({
  type: "integer",
  minimum: row.minimum,
  maximum: row.ceiling,
  ...(row.default === undefined ? {} : { default: row.default }),
  description: `${row.means}; ${row.unit}`,
});

const limits = closedObject(
  Object.fromEntries(limitNames.map((limit) => [limit, integer(limitTable[limit])])),
);

/** A description for one use of a shared part; draft-07 ignores siblings of `$ref`. */
const described = (part: SchemaObject, description: string): SchemaObject => ({ description, allOf: [part] });

/** What appears in more than one place of a manifest. */
const shared = {
  limits: { $ref: "#/definitions/limits" },
  actions: { $ref: "#/definitions/actions" },
  reads: { $ref: "#/definitions/reads" },
};

const actionList = {
  type: "array",
  maxItems: actionNames.length,
  uniqueItems: true,
  items: { type: "string", enum: actionNames },
};

const readList = {
  type: "array",
  maxItems: manifestLimits.reads,
  uniqueItems: true,
  items: {
    type: "string",
    maxLength: manifestLimits.readLength,
    pattern: readPattern,
    not: { pattern: forbiddenSegment },
  },
};

const byHook = (value: SchemaObject): SchemaObject => ({
  type: "object",
  maxProperties: manifestLimits.hooks,
  patternProperties: { [namePattern]: value },
  additionalProperties: false,
});

const text = { type: "string", maxLength: conditionLimits.textLength };
const scalar = { type: ["string", "number", "boolean", "null"], maxLength: conditionLimits.textLength };
const joined = {
  type: "array",
  minItems: 1,
  maxItems: conditionLimits.tests,
  items: { $ref: "#/definitions/condition" },
};
const option = { ...text, minLength: 1, description: "an option of the hook that the pack sets" };
/** Which members go together is checked where its paths are. */
const condition = closedObject({
  path: { ...text, minLength: 1, description: "names joined by dots; `*` is every element of an array" },
  equals: scalar,
  in: {
    anyOf: [
      { type: "array", minItems: 1, maxItems: conditionLimits.values, items: scalar },
      closedObject({ option }, ["option"]),
    ],
  },
  prefix: text,
  pattern: text,
  glob: {
    anyOf: [
      { type: "array", minItems: 1, maxItems: conditionLimits.values, items: text },
      closedObject({ option }, ["option"]),
    ],
  },
  exists: { const: true },
  incomplete: { const: "ignore", description: "only what the fact lists counts" },
  option,
  all: joined,
  any: joined,
  not: { $ref: "#/definitions/condition" },
});

const subscription = closedObject(
  {
    event: { type: "string", enum: eventNames, description: "name of the event" },
    matcher: {
      type: "string",
      maxLength: manifestLimits.matcherLength,
      description:
        "a name, a list such as `Edit|Write`, or a regular expression that must match the whole name",
    },
    when: described(
      { $ref: "#/definitions/condition" },
      "a condition on fields and facts; see docs/facts.md",
    ),
  },
  ["event"],
);

const factVersions = closedObject(
  Object.fromEntries(factNames.map((fact) => [fact, { type: "integer", minimum: 1, maximum: 999 }])),
);

const definitions = { limits, actions: actionList, reads: readList };
const draft = "http://json-schema.org/draft-07/schema#";

/** Makes the JSON Schema of `hook.json` from the tables of events, actions and limits. */
export function hookManifestSchema(): SchemaObject {
  return {
    $schema: draft,
    $id: schemaId("hook.schema.json"),
    title: "hook.json",
    description: "Manifest of one hook: when it runs, what it may read and do, and within which limits.",
    ...closedObject(
      {
        $schema: editorSchema,
        apiVersion: { const: 1, description: "version of this format" },
        name: { ...name, description: "name of the hook, the same as its folder's" },
        version: { ...version, description: "semantic version of the hook" },
        description: { ...description, description: "what it does, for reviewers" },
        entry: { ...path, description: "the script, relative to the manifest's folder" },
        on: {
          type: "array",
          minItems: 1,
          maxItems: manifestLimits.subscriptions,
          description: "the events it runs at",
          items: subscription,
        },
        reads: described(
          shared.reads,
          "fields it sees, such as `tool_input.command`, and facts, such as `facts.shell`; `*` is all catalogue fields",
        ),
        facts: {
          ...factVersions,
          description: "major versions of the facts it reads, such as `facts.shell`; absent: 1",
        },
        actions: described(shared.actions, "actions it asks for"),
        priority: {
          type: "integer",
          minimum: manifestLimits.priority.minimum,
          maximum: manifestLimits.priority.maximum,
          default: manifestLimits.priority.default,
          description: "lower runs first",
        },
        mode: {
          type: "string",
          enum: ["sequential", "parallel", "monitor"],
          default: "sequential",
          description: "in the chain, beside it with additions only, or watched without effect",
        },
        onFailure: {
          ...failurePolicy,
          description: "what a fault becomes; `open` counts only if the pack grants it",
        },
        limits: described(shared.limits, "limits of one call; absent ones have their defaults"),
        state: {
          ...closedObject(
            {
              scope: { type: "string", enum: ["session", "tenant"], description: "who shares it" },
              maxBytes: integer(stateLimits.maxBytes),
            },
            ["scope", "maxBytes"],
          ),
          description: "state that lasts from call to call",
        },
        // Untrusted: interpreted within limits, never compiled.
        config: { type: "object", description: "JSON Schema of the values that arrive as `ctx.config`" },
      },
      ["apiVersion", "name", "version", "entry", "on", "reads", "actions"],
    ),
    definitions: { ...definitions, condition },
  };
}

/** Makes the JSON Schema of `hookwarden.json` from the tables of actions, limits and budgets. */
export function packManifestSchema(): SchemaObject {
  const grant = closedObject({
    actions: described(shared.actions, "actions it may return; absent: what it asks for, except `allow`"),
    reads: described(shared.reads, "fields it may see; absent: what it asks for"),
    limits: described(shared.limits, "the most it may take"),
    roles: {
      type: "array",
      uniqueItems: true,
      maxItems: 2,
      items: { type: "string", enum: ["user", "system"] },
      description: "roles of messages it may inject; absent: `user`",
    },
    onFailure: { const: "open", description: "it may let a step pass when it fails" },
  });
  return {
    $schema: draft,
    $id: schemaId("hookwarden.schema.json"),
    title: "hookwarden.json",
    description:
      "Manifest of a pack: its hooks in order, their grants and configuration, defaults and budgets.",
    ...closedObject(
      {
        $schema: editorSchema,
        apiVersion: { const: 1, description: "version of this format" },
        name: { ...name, description: "name of the pack" },
        version: { ...version, description: "semantic version of the pack" },
        hooks: {
          type: "array",
          maxItems: manifestLimits.hooks,
          uniqueItems: true,
          items: path,
          description: "folders of the hooks, in order",
        },
        config: { ...byHook({}), description: "configuration by hook name" },
        grants: {
          ...byHook({ $ref: "#/definitions/grant" }),
          description: "what each hook may have, by hook name",
        },
        defaults: {
          ...closedObject({ limits: shared.limits, onFailure: failurePolicy }),
          description: "for hooks that say nothing themselves",
        },
        budgets: closedObject(
          Object.fromEntries(Object.entries(budgetTable).map(([budget, row]) => [budget, integer(row)])),
        ),
        monitor: {
          type: "boolean",
          default: false,
          description: "run everything, honour nothing, record what would have happened",
        },
      },
      ["apiVersion", "hooks"],
    ),
    definitions: { ...definitions, grant },
  };
}
