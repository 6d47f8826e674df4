/** A client of the server, for any runtime that has `fetch`. */
export type { Decision } from "hookwarden/broker";
export type {
  ApprovalRecord,
  ApprovalState,
  CandidateReport,
  DegradedWindow,
  HistoryRow,
  NodeReport,
  Overview,
  PackRevision,
  Rollout,
  RolloutChange,
  FaultView,
  HookView,
  LatencyView,
  LiveEvent,
  QuarantineEntry,
  TenantLimits,
  TenantView,
} from "@hookwarden/server";
export type { HookDescription } from "hookwarden/warden";
export { Client, createClient } from "./client.ts";
export { ServerError, type ServerProblem } from "./server-error.ts";
export type {
  Answered,
  ApprovalFilter,
  ApprovalOptions,
  ApprovalStatus,
  ApprovedDecision,
  ClientOptions,
  DecideOptions,
  DecisionFilter,
  KeyView,
  PackCheck,
  PackState,
  PackUpload,
  Refused,
  Trial,
  Tried,
  UploadOptions,
} from "./types.ts";
