import { HookwardenError } from "../errors/index.ts";

const defaultBytes = 64 * 1_048_576;

/** Options that the stores share. */
export interface QuotaOptions {
  /** Maximum bytes of state per tenant, keys included, or a function of the tenant. Default 64 MiB. */
  readonly maxBytesPerTenant?: number | ((tenant: string) => number);
  /**
   * After how many milliseconds without a write the state of a session may be dropped to make room. Default 7 days.
   * State of scope `tenant` is never dropped.
   */
  readonly sessionIdleMs?: number;
}

export interface Quota {
  /** For stores with one quota for all tenants; the default if quotas are per tenant. */
  readonly maxBytesPerTenant: number;
  maxBytes(tenant: string): number;
  readonly sessionIdleMs: number;
}

export function quotaOf(options: QuotaOptions): Quota {
  const { maxBytesPerTenant: given = defaultBytes, sessionIdleMs = 7 * 86_400_000 } = options;
  const maxBytesPerTenant = typeof given === "function" ? defaultBytes : given;
  for (const [name, value] of Object.entries({ maxBytesPerTenant, sessionIdleMs })) {
    if (!(value >= 0))
      throw new HookwardenError("option-invalid", `\`${name}\` must be a number of at least 0`);
  }
  const maxBytes = typeof given === "function" ? given : () => given;
  return { maxBytesPerTenant, maxBytes, sessionIdleMs };
}

/** A commit would exceed a tenant's quota. Old state is never dropped for it: that would reset another hook's counts. */
export class StateQuotaError extends Error {
  override readonly name = "StateQuotaError";

  constructor(maxBytes: number) {
    super(`the tenant's state would exceed ${maxBytes} bytes`);
  }
}
