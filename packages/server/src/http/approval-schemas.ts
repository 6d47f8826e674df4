import { listOf, object, orNull, text } from "./json-schema.ts";
import type { Schema } from "./route.ts";

const state: Schema = { enum: ["pending", "approved", "denied", "expired"] };
const status = {
  id: text,
  decisionId: text,
  input: text,
  state,
  created: text,
  expires: text,
  answeredBy: orNull(text),
  answeredAt: orNull(text),
  note: orNull(text),
};

/** Approvals of decisions with `ask`. */
export const approvalSchemas = {
  ApprovalStatus: object(status),
  Approval: object({
    ...status,
    tenant: text,
    pack: text,
    event: { type: "object" },
    changes: { type: "object" },
    reasons: listOf(object({ hook: orNull(text), text })),
    openedBy: text,
  }),
  ApprovalAnswer: object(
    {
      answer: { enum: ["approve", "deny"] },
      input: { type: "string", pattern: "^sha256:[0-9a-f]{64}$" },
      note: orNull({ type: "string", maxLength: 1_000 }),
    },
    ["note"],
  ),
} satisfies { readonly [name: string]: Schema };
