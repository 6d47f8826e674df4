import { count, detail, detailNames, listOf, object, orNull, text } from "./json-schema.ts";
import type { Schema } from "./route.ts";

export const rollout = object({
  tenant: text,
  generation: count,
  active: orNull(count),
  candidate: orNull(object({ revision: count, percent: { type: "integer", minimum: 1, maximum: 100 } })),
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

/** Packs of a tenant and its audit. */
export const packSchemas = {
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
  Hook: object({
    name: text,
    version: text,
    description: orNull(text),
    digest: text,
    priority: { type: "number" },
    mode: { enum: ["sequential", "parallel", "monitor"] },
    on: listOf(object({ event: text, matcher: orNull(text), when: orNull({ type: "object" }) })),
    reads: listOf(text),
    actions: listOf(text),
    state: orNull(text),
  }),
  AuditChain: object({ node: text, records: count, hash: text, closed: { type: "boolean" } }),
} satisfies { readonly [name: string]: Schema };
