import type { FaultCode } from "@hookwarden/sandbox";
import type { SourcePlace } from "hookwarden/compile";
import type { ApprovalState } from "./approvals/approval.ts";
import type { DegradedWindow } from "./degraded.ts";
import type { Rollout } from "./rollout.ts";

/** What one tenant may use. */
export interface TenantLimits {
  /** Requests a second, with bursts of as many. Each event of a batch or a trial counts. */
  readonly requestsPerSecond: number;
  /** Decisions under way at the same time. */
  readonly concurrency: number;
  /** Decisions that wait for their turn; more are refused. */
  readonly queued: number;
  /** Time that hooks run, in milliseconds in each minute. */
  readonly cpuMsPerMinute: number;
  /** Most memory of one call, in KiB; a pack whose hooks ask for more is refused. */
  readonly memoryKb: number;
  /** Hooks of the active pack and the candidate together. */
  readonly residentHooks: number;
  /** State of all hooks, in bytes, keys included. */
  readonly stateBytes: number;
}

/** A tenant as an operator has set it up. */
export interface TenantRecord {
  /** 1 to 64 of `a-z`, `0-9`, `.`, `_` and `-`, the first a letter or digit. */
  readonly tenant: string;
  /** ISO 8601. */
  readonly created: string;
  /** `true`: every request of its own is refused, and its code decides nothing. */
  readonly disabled: boolean;
  /** What differs from the server's defaults. */
  readonly limits: Partial<TenantLimits>;
  /** `true`: only bundles that a key of the server's trust file has signed are taken. */
  readonly signedOnly: boolean;
  /** The last degraded window, which may be over; absent or `null`: there was none. */
  readonly degraded?: DegradedWindow | null;
}

/** A hook that failed too often: until its time is over it is not run, and its failure policy is what counts. */
export interface QuarantineEntry {
  /** Names the entry in `DELETE /v1/admin/quarantine/{id}`. */
  readonly id: string;
  readonly tenant: string;
  readonly hook: string;
  readonly fault: FaultCode;
  /** How often in a row, from 1; each time twice as long as the one before. */
  readonly times: number;
  /** ISO 8601. */
  readonly since: string;
  readonly until: string;
}

/** How long decisions took, in microseconds, over the last minute. */
export interface LatencyView {
  readonly count: number;
  readonly p50_us: number;
  readonly p90_us: number;
  readonly p99_us: number;
  readonly max_us: number;
}

/** A tenant as an operator sees it now. */
export interface TenantView extends TenantRecord {
  /** The degraded window that is open; `null` without one. */
  readonly degraded: DegradedWindow | null;
  /** With every default filled in. */
  readonly effective: TenantLimits;
  readonly rollout: Rollout;
  /** Digest of the active pack; `null` without one. */
  readonly pack: string | null;
  readonly hooks: number;
  /** Since the server started. */
  readonly decisions: number;
  readonly faults: number;
  readonly refused: number;
  readonly in_flight: number;
  readonly waiting: number;
  /** Used in the minute that runs. */
  readonly cpu_ms: number;
  readonly quarantined: number;
  /** `slow`: its hooks have been long or have failed lately, and run apart from those of others. */
  readonly lane: "fast" | "slow";
  readonly latency: LatencyView;
}

/** A hook as an operator sees it now. */
export interface HookView {
  readonly tenant: string;
  readonly hook: string;
  readonly version: string;
  readonly digest: string;
  /** Calls, failed calls and time since the pack was loaded. */
  readonly calls: number;
  readonly faults: number;
  readonly cpu_ms: number;
  readonly quarantined: boolean;
}

/** A failure of a hook. */
export interface FaultView {
  /** ISO 8601. */
  readonly at: string;
  readonly tenant: string;
  readonly hook: string;
  readonly event: string;
  readonly decision_id: string;
  readonly code: FaultCode;
  /** May hold words of the hook: inert text, to be shown as text only. */
  readonly message: string;
  /** Where in the tenant's sources, by what the hook's error says; `null` where no place is known. */
  readonly place: SourcePlace | null;
}

/** One live event. */
export type LiveEvent =
  | {
      readonly type: "decision";
      readonly at: string;
      readonly tenant: string;
      readonly decision_id: string;
      readonly event: string;
      readonly tool: string | null;
      readonly verdict: string;
      /** Words of a hook: inert text, to be shown as text only. */
      readonly reason: string | null;
      readonly decided_by: string | null;
      readonly duration_us: number;
      readonly faults: number;
    }
  | ({ readonly type: "fault" } & FaultView)
  | ({ readonly type: "quarantine"; readonly at: string; readonly lifted: boolean } & QuarantineEntry)
  | ({ readonly type: "rollout"; readonly at: string } & Rollout)
  | {
      readonly type: "approval";
      readonly at: string;
      readonly tenant: string;
      readonly id: string;
      readonly state: ApprovalState;
    }
  | ({
      readonly type: "degraded";
      readonly at: string;
      readonly tenant: string;
      readonly state: "begun" | "ended";
    } & DegradedWindow)
  | { readonly type: "skipped"; readonly at: string; readonly events: number };
