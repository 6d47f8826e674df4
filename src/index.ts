/**
 * Run hooks you did not write: third-party hook scripts for AI agents, in sandboxes, with only those of their actions
 * honoured that are legal at that moment. Each module has an entry point of its own, `hookwarden/<module>`, for what
 * is not needed every day.
 */
export { createWarden, type Warden } from "./warden/index.ts";
export type {
  Chunk,
  ChunkStreamOptions,
  DispatchOptions,
  Divergence,
  FaultNotice,
  HookDescription,
  Isolation,
  LogNotice,
  RefusalNotice,
  ReloadNotice,
  WardenEvents,
  WardenOptions,
} from "./warden/index.ts";

export { type ErrorCode, errorTable, HookwardenError } from "./errors/index.ts";

export {
  actions,
  type ActionName,
  eventNames,
  type EventName,
  events,
  legalActions,
} from "./catalogue/index.ts";

export { defaultMaxEventBytes, fence, sanitizeText } from "./broker/index.ts";
export type {
  Action,
  Additions,
  AttributedText,
  CallRecord,
  Decision,
  DecisionRecord,
  EventInput,
  InjectedMessage,
  Refusal,
  ToolSchemas,
  TraceEntry,
  Verdict,
} from "./broker/index.ts";

export { loadPack, loadPackFromFiles, type LoadOptions } from "./pack/index.ts";
export type {
  FailurePolicy,
  Grant,
  HookManifest,
  LoadedHook,
  LoadedPack,
  PackManifest,
} from "./pack/index.ts";

export {
  buildBundle,
  type BuildOptions,
  generateKey,
  loadBundle,
  type LoadedBundle,
} from "./bundle/index.ts";
export type { RequiredReview, Trust, TrustedKey } from "./bundle/index.ts";

export { type LogOptions, type LogReport, verifyLog } from "./log/index.ts";
export { replayLog, type ReplayOptions, verifyCertificate } from "./replay/index.ts";

export { createDialect, type Dialect, dialects, type Translator } from "./dialects/index.ts";

export { MemoryStateStore, SqliteStateStore, StateQuotaError, type StateStore } from "./state/index.ts";

export {
  type ContainmentMode,
  type ContainmentReport,
  defaultLimits,
  describeContainment,
  type EngineName,
  type Fault,
  type FaultCode,
  faultTable,
  limitCeilings,
  type Limits,
  type LogLine,
} from "@hookwarden/sandbox";
