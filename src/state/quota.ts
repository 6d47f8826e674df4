import { HookwardenError } from "../errors.ts";

/** Options that the stores share. */
export interface QuotaOptions {
  /** Most bytes of state that one tenant may keep, keys included. Default 64 MiB. */
  readonly maxBytesPerTenant?: number;
  /**
   * After how many milliseconds without a write the state of a session may be dropped to make room. Default 7 days.
   * State of scope `tenant` is never dropped.
   */
  readonly sessionIdleMs?: number;
}

export interface Quota {
  readonly maxBytesPerTenant: number;
  readonly sessionIdleMs: number;
}

export function quotaOf(options: QuotaOptions): Quota {
  const quota = {
    maxBytesPerTenant: options.maxBytesPerTenant ?? 64 * 1_048_576,
    sessionIdleMs: options.sessionIdleMs ?? 7 * 86_400_000,
  };
  for (const [name, value] of Object.entries(quota)) {
    if (!(value >= 0))
      throw new HookwardenError("option-invalid", `\`${name}\` must be a number of at least 0`);
  }
  return quota;
}

/** A commit would exceed a tenant's quota. Old state is never dropped for it: that would reset another hook's counts. */
export class StateQuotaError extends Error {
  override readonly name = "StateQuotaError";

  constructor(maxBytes: number) {
    super(`the tenant's state would exceed ${maxBytes} bytes`);
  }
}
