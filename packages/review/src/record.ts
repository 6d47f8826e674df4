import { type ReviewRecord, reviewRecordFormat } from "hookwarden/bundle";
import type { ReviewReport } from "./report.ts";

/** What the reviewer decided. */
export interface ReviewDecision {
  readonly decision: ReviewRecord["decision"];
  /** Who decided: a name that others know. */
  readonly reviewer: string;
  /** When, ISO 8601. Default: now. */
  readonly reviewed?: string;
  /** From when on an approval counts no more, ISO 8601. Default: 365 days after `reviewed`. */
  readonly expires?: string;
}

const yearMs = 365 * 86_400_000;

/** The record of a review, to be signed with `signReview`. It names the hooks that were reviewed, and no others. */
export function reviewRecord(
  { subject, corpus, sheet, hooks, tool }: ReviewReport,
  { decision, reviewer, reviewed = new Date().toISOString(), expires }: ReviewDecision,
): ReviewRecord {
  return {
    format: reviewRecordFormat,
    pack: subject.pack,
    scope: subject.kind === "hook" ? "hooks" : "pack",
    hooks: hooks.map(({ name, digest }) => ({ name, digest })),
    tool,
    corpus: corpus.digest,
    findings: sheet.findingsDigest,
    counts: sheet.counts,
    decision,
    reviewer,
    reviewed,
    expires: expires ?? new Date(Date.parse(reviewed) + yearMs).toISOString(),
  };
}
