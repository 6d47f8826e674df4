import { eventNames } from "hookwarden/catalogue";
import { findDecisions, readDecision } from "../decision-history.ts";
import { count, listOf, object, orNull, text } from "../http/json-schema.ts";
import { json, type Route } from "../http/route.ts";
import { Problem } from "../problem.ts";
import { tenantOf } from "./tenants.ts";

const row = object({
  node: text,
  n: count,
  time: text,
  decision_id: text,
  event: text,
  tool: orNull(text),
  verdict: text,
  reason: orNull(text),
  decided_by: orNull(text),
  faults: count,
  duration_us: orNull(count),
});

/** Decisions of a tenant, from its audit. */
export const historyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/decisions",
    id: "getDecisions",
    summary:
      "Decisions in the tenant's audit, the newest first; looks through up to 5,000 records of each node.",
    needs: "audit",
    use: "read",
    query: {
      verdict: { schema: { type: "string", maxLength: 20 }, means: "Only with this verdict." },
      event: { schema: { enum: [...eventNames] }, means: "Only of this event." },
      hook: { schema: { type: "string", maxLength: 128 }, means: "Only if this hook was called." },
      text: { schema: { type: "string", maxLength: 200 }, means: "Only with this text in the record." },
      before: { schema: { type: "integer", minimum: 1 }, means: "Only records before this number." },
      limit: { schema: { type: "integer", minimum: 1, maximum: 200, default: 50 }, means: "Most decisions." },
    },
    answers: { "200": object({ decisions: listOf(row), more: { type: "boolean" } }) },
    async handle(context, call) {
      const { limit = 50, ...filter } = call.query as { limit?: number; text?: string };
      const { name } = tenantOf(context, call);
      return json(await findDecisions(context.stores.audit, name, { ...filter, limit }));
    },
  },
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/decisions/{node}/{n}",
    id: "getDecision",
    summary: "One record of a decision: its event, trace and calls.",
    needs: "audit",
    use: "read",
    answers: { "200": { type: "object" } },
    async handle(context, call) {
      const { node = "", n = "" } = call.params;
      const chain = { tenant: tenantOf(context, call).name, node };
      const line = /^\d{1,15}$/.test(n) ? await readDecision(context.stores.audit, chain, Number(n)) : null;
      if (line === null) throw new Problem("not-found");
      return { status: 200, text: line, type: "application/json; charset=utf-8" };
    },
  },
];
