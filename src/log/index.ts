/** The decision log: writing, checking, replaying. */
export type { LogContext, Recovery } from "./body.ts";
export { DecisionLog, openLog } from "./decision-log.ts";
export { catalogueDigest, type EngineIdentity, engineIdentity, packageVersion } from "./identity.ts";
export type { FlushPolicy, LogOptions } from "./options.ts";
export { type Interruption, type LogReport, verifyLog, type VerifyOptions } from "./verify.ts";
export type { LogProblem, LogProblemKind } from "./walk.ts";
export type { LogHead } from "./writer.ts";
export type { Difference } from "./difference.ts";
export { type Replayed, replayLog, type ReplayOptions, type ReplayProof } from "./replay.ts";
export {
  type CertificateReport,
  CertificateWriter,
  type ReplayTotals,
  verifyCertificate,
} from "./certificate.ts";
