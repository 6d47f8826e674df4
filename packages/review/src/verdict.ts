import { canonicalJson, sha256 } from "hookwarden/files";
import { severities } from "./codes.ts";
import type { ReviewFinding, SeverityCounts, VerdictSheet } from "./report.ts";

/** How many findings there are of each severity, without those that were accepted. */
export function countsOf(findings: readonly ReviewFinding[]): SeverityCounts {
  const open = findings.filter(({ accepted }) => accepted === null);
  return Object.fromEntries(
    severities.map((name) => [name, open.filter(({ severity }) => severity === name).length]),
  ) as SeverityCounts;
}

/**
 * What the findings suggest. `approve` needs every opening branch and every condition of the hook's own code to have been
 * met, or accepted by the reviewer: what was not is a finding of medium severity.
 *
 * @param stopped why the runs ended early; `null` if they did not.
 */
export function verdictOf(findings: readonly ReviewFinding[], stopped: string | null): VerdictSheet {
  const counts = countsOf(findings);
  const suggestion = counts.high > 0 ? "refuse" : counts.medium > 0 || stopped !== null ? "look" : "approve";
  const reasons = {
    refuse: "findings of high severity must be explained before this runs anywhere",
    look: stopped ?? "no blocking findings; inspect the findings of medium severity",
    approve: "no findings of high or medium severity, and every opening branch was executed",
  } as const;
  const seen = findings.map(({ code, severity, hook, message, accepted }) => ({
    code,
    severity,
    hook,
    message,
    accepted,
  }));
  return { counts, suggestion, why: reasons[suggestion], findingsDigest: sha256(canonicalJson(seen)) };
}
