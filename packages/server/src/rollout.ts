/** What serves a tenant now. */
export interface Rollout {
  readonly tenant: string;
  /** Grows by one with every change, and never goes back, a rollback included. 0 before the first. */
  readonly generation: number;
  /** The revision that decides; `null`: the tenant has no pack. */
  readonly active: number | null;
  /** A revision that runs beside it on a share of the events, and decides nothing. */
  readonly candidate: { readonly revision: number; /** 1 to 100. */ readonly percent: number } | null;
}
