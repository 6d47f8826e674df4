/** A server for platforms: hooks of many tenants behind one HTTP endpoint. */
export type { AuditMode } from "./audit-log.ts";
export { makeKey, type Principal } from "./credentials.ts";
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
