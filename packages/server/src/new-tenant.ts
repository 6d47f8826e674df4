import type { TenantRecord } from "./tenants.ts";

/** A tenant with the server's defaults. */
export function newTenant(tenant: string): TenantRecord {
  return { tenant, created: new Date().toISOString(), disabled: false, limits: {}, signedOnly: false };
}
