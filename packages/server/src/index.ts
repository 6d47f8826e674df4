/** A server for platforms: hooks of many tenants behind one HTTP endpoint. */
export type { ApprovalAnswer, ApprovalRecord, ApprovalState } from "./approvals/approval.ts";
export { signatureOf, type WebhookOptions } from "./approvals/webhook.ts";
export type { AuditMode } from "./audit-log.ts";
export { makeKey } from "./credentials.ts";
export type { Principal } from "./principal.ts";
export type { DecisionReply, DecisionRequest, DecisionService } from "./decision-service.ts";
export type { JwtOptions } from "./jwt.ts";
export { defaultTenantLimits, type HttpLimits } from "./limits.ts";
export type { Operator, Overview } from "./operator.ts";
export type { ServerOptions } from "./options.ts";
export type { QuarantineOptions } from "./quarantine.ts";
export { createServer, type HookwardenServer } from "./server.ts";
export { openSqliteStores, type SqliteStoresOptions } from "./sqlite/stores.ts";
export type * from "./storage.ts";
export type * from "./tenants.ts";
export type { CandidateReport } from "./candidate.ts";
export type { NodeReport } from "./operator.ts";
export type { Rollout } from "./rollout.ts";
