/** The decision log: writing, checking, replaying. */
export type { LogContext, Recovery } from "./body.ts";
export { DecisionLog, openLog } from "./decision-log.ts";
export { catalogueDigest, type EngineIdentity, engineIdentity, packageVersion } from "./identity.ts";
export type { FlushPolicy, LogOptions } from "./options.ts";
export { type Interruption, type LogReport, verifyLog, type VerifyOptions } from "./verify.ts";
export type { LogProblem, LogProblemKind } from "./walk.ts";
export type { LogHead } from "./writer.ts";
export { inputDigest } from "./body.ts";
export { asciiJson, digestOf } from "./line.ts";
export { readLines } from "./lines.ts";
export { logSettings } from "./options.ts";
export { readRecord } from "./read-record.ts";
export { readRules } from "./rules.ts";
export type { Sink } from "./sink.ts";
export { type LogRecord, newChain, walkLog, type WalkOptions } from "./walk.ts";
