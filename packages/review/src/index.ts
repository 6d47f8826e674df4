/** Security review: what a hook can do, what it did, and what changed, before it runs. */
export { type AcceptedFinding, readAccepted } from "./accept.ts";
export { type ReviewCode, type ReviewRow, reviewTable, type Severity, severities } from "./codes.ts";
export { reviewHtml } from "./html/index.ts";
export { reviewSarif } from "./sarif.ts";
export { reviewRecord, type ReviewDecision } from "./record.ts";
export type * from "./report.ts";
export { reportFormat } from "./report.ts";
export { review, type ReviewOptions } from "./review.ts";
export { type Input, type InputOrigin, recordedInput } from "./run/input.ts";
export { readSubject, type Subject, subjectOf } from "./subject.ts";
export {
  type CheckedTrust,
  requireApproval,
  readReview,
  type RequiredReview,
  type ReviewRecord,
  type SignedReview,
  signReview,
} from "hookwarden/bundle";
