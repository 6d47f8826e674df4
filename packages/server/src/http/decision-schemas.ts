import { faultTable } from "@hookwarden/sandbox";
import { actionNames, eventNames } from "hookwarden/catalogue";
import { count, detail, detailNames, listOf, object, orNull, text } from "./json-schema.ts";
import type { Schema } from "./route.ts";

const attributed = object({ hook: text, trust: { const: "third-party" }, text });
const event: Schema = {
  type: "object",
  description: "An event, as docs/events.md has it; with a dialect, a message of that system.",
  properties: { hook_event_name: { enum: [...eventNames] }, session_id: text },
  additionalProperties: true,
};
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

/** Events, decisions and dry runs. */
export const decisionSchemas = {
  Problem: object({ status: count, code: text, request_id: text, ...detail }, detailNames),
  Event: event,
  Decision: decision,
  BatchAnswer: listOf({
    anyOf: [
      object({ status: { const: 200 }, answer: {} }),
      object({ status: count, code: text, ...detail }, detailNames),
    ],
  }),
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
} satisfies { readonly [name: string]: Schema };
