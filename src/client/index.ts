/** A client of the server, for any runtime that has `fetch`. */
export type { Decision } from "../broker/decision.ts";
export type { CandidateReport } from "../server/candidate.ts";
export type { NodeReport, Overview } from "../server/operator.ts";
export type { PackRevision, Rollout, RolloutChange } from "../server/storage.ts";
export type {
  FaultView,
  HookView,
  LatencyView,
  LiveEvent,
  QuarantineEntry,
  TenantLimits,
  TenantView,
} from "../server/tenants.ts";
export type { HookDescription } from "../warden/hooks.ts";
export { Client, createClient } from "./client.ts";
export { ServerError, type ServerProblem } from "./server-error.ts";
export type {
  Answered,
  ClientOptions,
  DecideOptions,
  KeyView,
  PackCheck,
  PackState,
  PackUpload,
  Refused,
  Trial,
  Tried,
  UploadOptions,
} from "./types.ts";
