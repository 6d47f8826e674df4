import { maxDegradedMinutes } from "../degraded.ts";
import { tenantLimitNames, tenantLimitTable } from "../limits.ts";
import { count, listOf, object, orNull, text } from "./json-schema.ts";
import { rollout } from "./pack-schemas.ts";
import type { Schema } from "./route.ts";

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
const degraded = object({ reason: text, since: text, until: text, by: text });
const scopes = listOf({ enum: ["decide", "packs", "audit", "approve"] }, 4);
const key = object({
  id: text,
  tenant: orNull(text),
  name: text,
  scopes,
  created: text,
  expires: orNull(text),
  revoked: orNull(text),
});

/** What operators see and change. */
export const operatorSchemas = {
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
    degraded: orNull(degraded),
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
    degraded: count,
    rss_bytes: count,
    latency,
  }),
  NewDegraded: object({
    // No characters that control terminals or reorder text: it is shown to people who decide.
    reason: { type: "string", minLength: 1, maxLength: 300, pattern: "^\\P{C}*$" },
    minutes: { type: "integer", minimum: 1, maximum: maxDegradedMinutes },
  }),
  Degraded: degraded,
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
