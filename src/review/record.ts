import { type ReviewRecord, reviewRecordFormat } from "../bundle/review-record.ts";
import type { ReviewReport } from "./report.ts";

/** What the reviewer decided. */
export interface ReviewDecision {
  readonly decision: ReviewRecord["decision"];
  /** Who decided: a name that others know. */
  readonly reviewer: string;
  /** When, ISO 8601. Default: now. */
  readonly reviewed?: string;
}

/** The record of a review, to be signed with `signReview`. It names the whole pack, also where one hook of it was reviewed. */
export function reviewRecord(
  { subject, corpus, sheet }: ReviewReport,
  { decision, reviewer, reviewed }: ReviewDecision,
): ReviewRecord {
  return {
    format: reviewRecordFormat,
    pack: subject.pack,
    corpus: corpus.digest,
    findings: sheet.findingsDigest,
    counts: sheet.counts,
    decision,
    reviewer,
    reviewed: reviewed ?? new Date().toISOString(),
  };
}
