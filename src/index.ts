/**
 * Run hooks you did not write: third-party hook scripts for AI agents, in sandboxes, with only those of their actions
 * honoured that are legal at that moment.
 */
export { createWarden, type Warden } from "./warden.ts";
export type { Chunk, ChunkStreamOptions } from "./warden/chunk-stream.ts";
export type { Divergence, EngineOutcome } from "./warden/cross-check.ts";
export type {
  FaultNotice,
  LogNotice,
  NoticeSource,
  RefusalNotice,
  ReloadNotice,
  WardenEvents,
} from "./warden/events.ts";
export type { HookDescription } from "./warden/hooks.ts";
export type { BundleDescription } from "./warden/supply.ts";
export type { DispatchOptions, Isolation, WardenOptions } from "./warden/options.ts";

export { type ErrorCode, type ErrorPlace, type ErrorRow, errorTable, HookwardenError } from "./errors.ts";

export type {
  Action,
  Additions,
  AttributedText,
  Decision,
  InjectedMessage,
  Refusal,
  RefusalCode,
  TraceEntry,
  TraceFault,
  TraceOutcome,
  Verdict,
} from "./broker/decision.ts";
export type { BrokerEvent } from "./broker/event.ts";
export { fence, type Fenced, type FenceOptions } from "./broker/fence.ts";
export { defaultMaxEventBytes, type EventInput } from "./broker/read-event.ts";
export type { CallRecord, DecisionRecord } from "./broker/record.ts";
export { retryLimit } from "./broker/retry-limit.ts";
export type { PlanRules } from "./broker/select.ts";
export { neutralise } from "./broker/text.ts";
export type { ToolSchemas } from "./broker/tool-schemas.ts";

export {
  buildBundle,
  type BuildOptions,
  type BuiltBundle,
  type BundleList,
  generateKey,
  loadBundle,
  type LoadedBundle,
  type PrivateKeyJwk,
  type PublicKeyJwk,
  publicHalf,
  type Trust,
  type TrustedKey,
} from "./bundle/index.ts";
export type { RequiredReview, ReviewedHook, ReviewRecord, SignedReview } from "./bundle/review-record.ts";
export {
  type Difference,
  type EngineIdentity,
  type FlushPolicy,
  type LogHead,
  type LogOptions,
  type LogProblem,
  type LogReport,
  type Replayed,
  replayLog,
  type ReplayOptions,
  type ReplayProof,
  verifyCertificate,
  verifyLog,
  type VerifyOptions,
} from "./log/index.ts";

export * from "./catalogue/index.ts";
export {
  createDialect,
  type Dialect,
  type DialectRow,
  dialects,
  type Reply,
  type Translator,
  type TranslatorOptions,
} from "./dialects/index.ts";
export { loadPack, loadPackFromFiles, type LoadOptions } from "./pack/load.ts";
export type { BundleOptions } from "./pack/bundle.ts";
export type * from "./pack/types.ts";
export { MemoryStateStore } from "./state/memory.ts";
export { type QuotaOptions, StateQuotaError } from "./state/quota.ts";
export { type SqliteStateOptions, SqliteStateStore } from "./state/sqlite.ts";
export type { StateKey, StateRecord, StateStore, StateWrite } from "./state/store.ts";

export {
  type ContainmentMode,
  type ContainmentReport,
  describeContainment,
  type WallName,
  type WallState,
  type Blame,
  defaultLimits,
  type EngineName,
  type Fault,
  type FaultCode,
  faultTable,
  limitCeilings,
  type Limits,
  limitTable,
  type LogLine,
  type ProcessSandboxOptions,
  type Sandbox,
} from "../sandbox/index.ts";
