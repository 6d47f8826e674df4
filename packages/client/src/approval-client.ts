import type { ApprovalRecord, HistoryRow } from "@hookwarden/server";
import type { Decision } from "hookwarden/broker";
import { AdminClient } from "./admin-client.ts";
import { queryOf, segment } from "./paths.ts";
import { invalidAnswer } from "./server-error.ts";
import type { Transport } from "./transport.ts";
import type {
  ApprovalFilter,
  ApprovalOptions,
  ApprovalStatus,
  ApprovedDecision,
  DecisionFilter,
} from "./types.ts";

/** How long one long-poll waits, in seconds: below the default timeout of a request. */
const pollSeconds = 20;
const defaultApprovalSeconds = 300;

/** The requests about past decisions, and about approvals: a person confirms a decision with `ask`. */
export class ApprovalClient extends AdminClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Decides one event; if the decision is `ask`, opens an approval and waits until a person answers it. For hosts whose
   * own user cannot be asked. Needs the scope `decide`.
   *
   * Default deny: without an approval in time the verdict is `deny`. The approval holds for exactly this event, with the
   * decision's changes applied.
   *
   * @param options.approvalSeconds default 300.
   * @throws {ServerError} where there is no decision, or the answer is not for this event: treat the event as refused
   */
  async decideWithApproval(event: object, options: ApprovalOptions = {}): Promise<ApprovedDecision> {
    const { approvalSeconds = defaultApprovalSeconds, idempotencyKey, signal } = options;
    const bytes = new TextEncoder().encode(JSON.stringify(event));
    const { value, headers } = await this.#transport.answer<Decision>("POST", "/v1/decisions", {
      bytes,
      type: "application/json",
      headers: {
        "hookwarden-approval": String(approvalSeconds),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      },
      ...(signal ? { signal } : {}),
    });
    const decision = value;
    if (typeof (decision as Partial<Decision> | null)?.verdict !== "string") throw invalidAnswer();
    if (decision.verdict !== "ask") return { decision, approval: null, verdict: decision.verdict };
    const id = headers.get("hookwarden-approval");
    if (id === null) return { decision, approval: null, verdict: "deny" };
    let approval = await this.waitForApproval(id, options);
    // The server closes it when its time is over.
    while (approval.state === "pending") approval = await this.waitForApproval(id, options);
    if (approval.input !== (await digestOf(bytes)) || approval.decisionId !== decision.decision_id)
      throw invalidAnswer();
    return { decision, approval, verdict: approval.state === "approved" ? "allow" : "deny" };
  }

  /** Waits up to 20 seconds for an approval to be closed. @returns it as it is then, possibly still pending */
  waitForApproval(id: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<ApprovalStatus> {
    const path = `/v1/approvals/${segment(id)}?wait=${pollSeconds}`;
    return this.#transport.json("GET", path, signal ? { signal } : {});
  }

  /**
   * Decisions in a tenant's audit, the newest first. Needs the scope `audit`, as does `getDecision`.
   *
   * @returns `more` if the search ended before the beginning of the audit
   */
  getDecisions(
    tenant: string,
    filter: DecisionFilter = {},
  ): Promise<{ readonly decisions: readonly HistoryRow[]; readonly more: boolean }> {
    return this.#transport.json("GET", `/v1/tenants/${segment(tenant)}/decisions?${queryOf(filter)}`);
  }

  /** The record of one decision, as the decision log has it. @param row as `getDecisions` returns it */
  getDecision(tenant: string, { node, n }: Pick<HistoryRow, "node" | "n">): Promise<object> {
    return this.#transport.json("GET", `/v1/tenants/${segment(tenant)}/decisions/${segment(node)}/${n}`);
  }

  /** Approvals of a tenant, the newest first. Needs the scope `approve`, as do the two that follow. */
  async getApprovals(tenant: string, filter: ApprovalFilter = {}): Promise<readonly ApprovalRecord[]> {
    const path = `${approvals(tenant)}?${queryOf(filter)}`;
    return (await this.#transport.json<{ approvals: ApprovalRecord[] }>("GET", path)).approvals;
  }

  /** One approval, with the event that it is about. */
  getApproval(tenant: string, id: string): Promise<ApprovalRecord> {
    return this.#transport.json("GET", `${approvals(tenant)}/${segment(id)}`);
  }

  /**
   * Answers an approval. Exactly one answer counts.
   *
   * @param answer.input the digest of the approval that the person saw
   * @throws {ServerError} `approval-closed`, `approval-own`, `approval-mismatch`
   */
  answerApproval(
    tenant: string,
    id: string,
    answer: { readonly answer: "approve" | "deny"; readonly input: string; readonly note?: string },
  ): Promise<ApprovalRecord> {
    return this.#transport.json("POST", `${approvals(tenant)}/${segment(id)}`, { json: answer });
  }

  /** Approvals of all tenants, the newest first. Needs an operator's key. */
  async getAllApprovals(
    filter: ApprovalFilter & { readonly tenant?: string } = {},
  ): Promise<readonly ApprovalRecord[]> {
    const path = `/v1/admin/approvals?${queryOf(filter)}`;
    return (await this.#transport.json<{ approvals: ApprovalRecord[] }>("GET", path)).approvals;
  }
}

function approvals(tenant: string): string {
  return `/v1/tenants/${segment(tenant)}/approvals`;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `sha256:${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
