/** The decision log: writing, checking, replaying. */
export { inputDigest, type LogContext, type Recovery } from "./record-body.ts";
export { DecisionLog, openLog } from "./decision-log.ts";
export { catalogueDigest, type EngineIdentity, engineIdentity, packageVersion } from "./identity.ts";
export { type LogOptions, logSettings } from "./options.ts";
export { type LogReport, verifyLog, type VerifyOptions } from "./verify.ts";
export type { LogHead } from "./writer.ts";
export { asciiJson, digestOf } from "./line.ts";
export { readLines } from "./lines.ts";
export { readRecord } from "./read-record.ts";
export { maskEvent, parseMask } from "./mask.ts";
export { readRules } from "./rules.ts";
export type { Sink } from "./sink.ts";
export { type LogProblem, type LogRecord, newChain, readChain, type ReadChainOptions } from "./read-chain.ts";
