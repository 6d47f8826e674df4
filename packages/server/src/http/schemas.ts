import { faultTable } from "@hookwarden/sandbox";
import { actionNames, eventNames } from "hookwarden/catalogue";
import { tenantLimitNames, tenantLimitTable } from "../limits.ts";
import type { Schema } from "./route.ts";

const text: Schema = { type: "string" };
const count: Schema = { type: "integer", minimum: 0 };
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: "null" }] });

/** An object whose members are all there, and no others. */
export function object(
  properties: { readonly [name: string]: Schema },
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

export function listOf(items: Schema, maxItems?: number): Schema {
  return { type: "array", items, ...(maxItems === undefined ? {} : { maxItems }) };
}

function ref(name: keyof typeof components): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

const attributed = object({ hook: text, trust: { const: "third-party" }, text });
const event: Schema = {
  type: "object",
  description: "An event, as docs/events.md has it; with a dialect, a message of that system.",
  properties: { hook_event_name: { enum: [...eventNames] }, session_id: text },
  additionalProperties: true,
};
const limits: Schema = {
  type: "object",
  properties: Object.fromEntries(
    tenantLimitNames.map((name) => {
      const { default: fallback, most, means, unit } = tenantLimitTable[name];
      return [
        name,
        {
          type: "integer",
          minimum: 1,
          maximum: most,
          default: fallback,
          description: unit ? `${means} (${unit})` : means,
        },
      ];
    }),
  ),
  additionalProperties: false,
};
const rollout = object({
  tenant: text,
  generation: count,
  active: orNull(count),
  candidate: orNull(object({ revision: count, percent: { type: "integer", minimum: 1, maximum: 100 } })),
});
const latency = object({ count, p50_us: count, p90_us: count, p99_us: count, max_us: count });
const quarantine = object({
  id: text,
  tenant: text,
  hook: text,
  fault: text,
  times: count,
  since: text,
  until: text,
});
const scopes = listOf({ enum: ["decide", "packs", "audit"] }, 3);
const key = object({
  id: text,
  tenant: orNull(text),
  name: text,
  scopes,
  created: text,
  expires: orNull(text),
  revoked: orNull(text),
});
const revision = object({
  tenant: text,
  revision: count,
  pack: text,
  bundle: text,
  name: text,
  version: text,
  signedBy: orNull(text),
  hooks: count,
  created: text,
  createdBy: text,
});
const fault: Schema = {
  type: "object",
  properties: {
    code: { enum: Object.keys(faultTable) },
    message: text,
    at: object({ file: text, line: count, column: count }),
  },
  required: ["code", "message"],
};
const decision: Schema = {
  type: "object",
  properties: {
    decision_id: text,
    hook_event_name: { enum: [...eventNames] },
    tenant: text,
    pack: text,
    verdict: { enum: ["continue", "allow", "ask", "retry", "drop_chunk", "skip", "deny", "block", "halt"] },
    reason: orNull(text),
    feedback: orNull(text),
    decided_by: orNull(text),
    changes: { type: "object" },
    additions: object({
      augment: orNull(object({ text, parts: listOf(attributed) })),
      messages: listOf({ type: "object" }),
      context: listOf(attributed),
      notices: listOf(attributed),
    }),
    trace: listOf({ type: "object", properties: { fault: orNull(fault) } }),
    duration_us: count,
  },
  required: [
    "decision_id",
    "hook_event_name",
    "tenant",
    "pack",
    "verdict",
    "decided_by",
    "changes",
    "additions",
    "trace",
  ],
};

/** What was wrong with the caller's input, and where; each only where it is known. */
const detail = { message: text, file: text, line: count, column: count, pointer: text };
const detailNames = Object.keys(detail);

/** Shapes that have a name in the OpenAPI description. */
export const components = {
  Problem: object({ status: count, code: text, request_id: text, ...detail }, detailNames),
  Event: event,
  Decision: decision,
  BatchAnswer: listOf({
    anyOf: [
      object({ status: { const: 200 }, answer: {} }),
      object({ status: count, code: text, ...detail }, detailNames),
    ],
  }),
  Rollout: rollout,
  Revision: revision,
  Candidate: object({
    revision: count,
    percent: count,
    sampled: count,
    skipped: count,
    same: count,
    stricter: count,
    looser: count,
    changed: count,
    faults: count,
  }),
  Packs: object({
    rollout,
    serving: orNull(text),
    broken: orNull(text),
    candidate: orNull({ type: "object" }),
    revisions: listOf(revision),
    history: listOf({ type: "object" }),
  }),
  PackFiles: object({
    files: {
      type: "object",
      description: "Text of each file by its relative path; binary files have no place in a pack.",
      additionalProperties: text,
      maxProperties: 4_096,
    },
  }),
  Uploaded: object({ revision, rollout: orNull(rollout) }),
  Checked: object(
    {
      ok: { type: "boolean" },
      problem: object({ code: text, ...detail }, detailNames),
      pack: text,
      hooks: listOf(text),
    },
    ["problem", "pack", "hooks"],
  ),
  Activation: object(
    {
      revision: { type: "integer", minimum: 1 },
      percent: {
        type: "integer",
        minimum: 1,
        maximum: 100,
        description: "Share of events for a trial; absent: decides at once.",
      },
      expected: {
        ...count,
        description: "Generation that this was decided on: where another change came first, 409.",
      },
    },
    ["percent", "expected"],
  ),
  Rollback: object({ revision: { type: "integer", minimum: 1 } }, ["revision"]),
  Trial: object(
    {
      events: { ...listOf({ type: "object" }, 100), minItems: 1 },
      revision: { type: "integer", minimum: 1 },
      files: { type: "object", additionalProperties: text, maxProperties: 4_096 },
      script: object(
        {
          source: { type: "string", maxLength: 1_048_576 },
          language: { enum: ["js", "ts"] },
          on: { ...listOf({ enum: [...eventNames] }, eventNames.length), minItems: 1 },
          reads: listOf(text, 100),
          actions: listOf({ enum: [...actionNames] }, actionNames.length),
        },
        ["language", "reads", "actions"],
      ),
      dialect: text,
    },
    ["revision", "files", "script", "dialect"],
  ),
  Tried: object({
    results: listOf({
      anyOf: [object({ answer: {} }), object({ status: count, code: text, ...detail }, detailNames)],
    }),
  }),
  Hook: object({
    name: text,
    version: text,
    description: orNull(text),
    digest: text,
    priority: { type: "number" },
    mode: { enum: ["sequential", "parallel", "monitor"] },
    on: listOf(object({ event: text, matcher: orNull(text) })),
    reads: listOf(text),
    actions: listOf(text),
    state: orNull(text),
  }),
  AuditChain: object({ node: text, records: count, hash: text, closed: { type: "boolean" } }),
  TenantSettings: object({ disabled: { type: "boolean" }, signedOnly: { type: "boolean" }, limits }, [
    "disabled",
    "signedOnly",
    "limits",
  ]),
  Tenant: object({
    tenant: text,
    created: text,
    disabled: { type: "boolean" },
    limits,
    signedOnly: { type: "boolean" },
    effective: limits,
    rollout,
    pack: orNull(text),
    hooks: count,
    decisions: count,
    faults: count,
    refused: count,
    in_flight: count,
    waiting: count,
    cpu_ms: count,
    quarantined: count,
    lane: { enum: ["fast", "slow"] },
    latency,
  }),
  HookView: object({
    tenant: text,
    hook: text,
    version: text,
    digest: text,
    calls: count,
    faults: count,
    cpu_ms: count,
    quarantined: { type: "boolean" },
  }),
  Fault: object({
    at: text,
    tenant: text,
    hook: text,
    event: text,
    decision_id: text,
    code: text,
    message: text,
  }),
  Quarantine: quarantine,
  Latency: latency,
  Node: object({
    node: text,
    version: text,
    started: text,
    at: text,
    serving: { type: "object", additionalProperties: count },
  }),
  Overview: object({
    version: text,
    node: text,
    started: text,
    ready: { type: "boolean" },
    engine: text,
    tenants: count,
    decisions: count,
    faults: count,
    in_flight: count,
    waiting: count,
    quarantined: count,
    rss_bytes: count,
    latency,
  }),
  NewKey: object(
    {
      tenant: orNull({ type: "string", pattern: "^[a-z0-9][a-z0-9._-]{0,63}$" }),
      name: { type: "string", minLength: 1, maxLength: 128 },
      scopes,
      expires: orNull({ type: "string", maxLength: 40 }),
    },
    ["scopes", "expires"],
  ),
  Key: key,
  MadeKey: object({ key: text, record: key }),
} satisfies { readonly [name: string]: Schema };

export const schemas = Object.fromEntries(
  (Object.keys(components) as (keyof typeof components)[]).map((name) => [name, ref(name)]),
) as { readonly [Name in keyof typeof components]: Schema };
