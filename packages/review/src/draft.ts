import { type ReviewCode, reviewTable, type Severity } from "./codes.ts";
import type { CodePlace, Evidence, GuestText } from "./report.ts";

/** A finding before it has its number. */
export interface Draft {
  readonly code: ReviewCode;
  readonly severity: Severity;
  readonly message: string;
  readonly evidence: readonly Evidence[];
  readonly place: CodePlace | null;
  /** Some lines around the place; `null` where there is none. */
  readonly excerpt: GuestText | null;
}

/** A finding of the severity that its code has, or of a lesser one. */
export function draft(
  code: ReviewCode,
  message: string,
  evidence: readonly Evidence[] = [],
  {
    severity = reviewTable[code].severity,
    place = null,
  }: { severity?: Severity; place?: CodePlace | null } = {},
): Draft {
  return { code, severity, message, evidence, place, excerpt: null };
}
