export { type Answer, readAnswer } from "./answer.ts";
export type { BrokerParts } from "./decision-run.ts";
export type { SkippedCall } from "./skipped-call.ts";
export { makeDecisionId, timeOfId } from "./decision-id.ts";
export type { StateAccess } from "./decision-state.ts";
export type {
  Action,
  Additions,
  AttributedText,
  Decision,
  InjectedMessage,
  Refusal,
  TraceEntry,
  TraceFault,
  Verdict,
} from "./decision.ts";
export { decide, type DecisionResult } from "./decide.ts";
export { type BrokerEvent, EventView } from "./event.ts";
export { locationSuffix } from "./failure.ts";
export { fence } from "./fence.ts";
export { StoredRetryCounters } from "./stored-retries.ts";
export { preciseNow } from "./precise-now.ts";
export {
  defaultMaxEventBytes,
  describeError,
  type EventInput,
  eventJsonLimits,
  readEvent,
} from "./read-event.ts";
export type { CallRecord, DecisionRecord } from "./record.ts";
export { RetryCounters, type RetryKey } from "./retry-limit.ts";
export { digestWords, seedFor } from "./seed.ts";
export { type Binding, listens, makePlan, type Plan, type PlanRules } from "./plan.ts";
export { maxEventDepth, snapshot, tooLarge } from "./snapshot.ts";
export { sanitizeText } from "../text/index.ts";
export { containsNul, type ToolInputCheck, type ToolInputChecks } from "./tool-input.ts";
export { toolInputChecks, type ToolSchemas } from "./tool-schemas.ts";
export type { DecideRequest } from "./decision-run.ts";
