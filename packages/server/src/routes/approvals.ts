import type { ApprovalRecord } from "../approvals/approval.ts";
import { listOf, object } from "../http/json-schema.ts";
import { json, type Route, type RouteCall } from "../http/route.ts";
import { schemas } from "../http/schemas.ts";
import type { ServerContext } from "../context.ts";
import { Problem } from "../problem.ts";
import { tenantOf } from "./tenants.ts";

/** Longest long-poll, in seconds: below the time after which idle connections are closed. */
const maxWaitSeconds = 50;

const range = {
  state: {
    schema: { enum: ["pending", "approved", "denied", "expired"] },
    means: "Only of this state.",
  },
  limit: { schema: { type: "integer", minimum: 1, maximum: 1_000, default: 100 }, means: "Most approvals." },
} as const;

interface Range {
  readonly state: ApprovalRecord["state"] | undefined;
  readonly limit: number;
}

function rangeOf({ query }: RouteCall): Range {
  return {
    state: query["state"] as Range["state"],
    limit: (query["limit"] as number | undefined) ?? 100,
  };
}

/** What the host that asked needs to know: not the event, which it has. */
function statusOf(record: ApprovalRecord): object {
  const { id, decisionId, input, state, created, expires, answeredBy, answeredAt, note } = record;
  return { id, decisionId, input, state, created, expires, answeredBy, answeredAt, note };
}

async function wait(context: ServerContext, call: RouteCall): Promise<ApprovalRecord> {
  const { tenant } = call.principal;
  if (tenant === null) throw new Problem("forbidden");
  const seconds = (call.query["wait"] as number | undefined) ?? 0;
  const isEnding = (): boolean => call.gone() || !context.lifecycle.isReady;
  const id = call.params["id"] as string;
  return context.approvals.wait(tenant, id, { ms: seconds * 1_000, gone: isEnding });
}

export const approvalRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/approvals/{id}",
    id: "waitForApproval",
    summary:
      "The state of an approval, for the host that asked. With `wait`, the answer waits until it is closed.",
    needs: "decide",
    use: "approve",
    query: {
      wait: {
        schema: { type: "integer", minimum: 0, maximum: maxWaitSeconds, default: 0 },
        means: "Seconds to wait (long poll).",
      },
    },
    answers: { "200": schemas.ApprovalStatus },
    handle: async (context, call) => json(statusOf(await wait(context, call))),
  },
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/approvals",
    id: "getApprovals",
    summary: "Approvals of the tenant, the newest first.",
    needs: "approve",
    use: "read",
    query: range,
    answers: { "200": object({ approvals: listOf(schemas.Approval) }) },
    handle: async (context, call) =>
      json({ approvals: await context.approvals.list(tenantOf(context, call).name, rangeOf(call)) }),
  },
  {
    method: "GET",
    path: "/v1/tenants/{tenant}/approvals/{id}",
    id: "getApproval",
    summary: "One approval, with the event that it is about.",
    needs: "approve",
    use: "read",
    answers: { "200": schemas.Approval },
    handle: async (context, call) =>
      json(await context.approvals.get(tenantOf(context, call).name, call.params["id"] as string)),
  },
  {
    method: "POST",
    path: "/v1/tenants/{tenant}/approvals/{id}",
    id: "answerApproval",
    summary:
      "Approves or denies. Exactly one answer counts; the credential that requested the decision cannot answer.",
    needs: "approve",
    use: "approve",
    body: { limit: "headerBytes", types: { "application/json": schemas.ApprovalAnswer } },
    answers: { "200": schemas.Approval },
    async handle(context, call) {
      const {
        answer,
        input,
        note = null,
      } = call.body as {
        answer: "approve" | "deny";
        input: string;
        note?: string | null;
      };
      const { name } = tenantOf(context, call);
      const by = call.principal.id;
      const id = call.params["id"] as string;
      return json(
        await context.approvals.answer(name, id, { approve: answer === "approve", input, by, note }),
      );
    },
  },
  {
    method: "GET",
    path: "/v1/admin/approvals",
    id: "getAllApprovals",
    summary: "Approvals of all tenants, the newest first.",
    needs: "operator",
    use: "operate",
    query: {
      ...range,
      tenant: { schema: { type: "string", maxLength: 64 }, means: "Only of this tenant." },
    },
    answers: { "200": object({ approvals: listOf(schemas.Approval) }) },
    handle: async (context, call) => {
      const tenant = (call.query["tenant"] as string | undefined) ?? null;
      return json({ approvals: await context.approvals.list(tenant, rangeOf(call)) });
    },
  },
];
