export {
  type CertificateReport,
  CertificateWriter,
  type ReplayTotals,
  verifyCertificate,
} from "./certificate.ts";
export type { Difference } from "./difference.ts";
export { type Replayed, replayLog, type ReplayOptions } from "./replay.ts";
