import type { CaseResult, StepFailure } from "hookwarden/check";

/** What went wrong in a case, a line for each field. */
export function failureLines({ failures, events }: CaseResult): readonly string[] {
  return failures.flatMap((failure) => stepLines(failure, events));
}

function stepLines({ step, differences }: StepFailure, events: number): readonly string[] {
  const at = events > 1 ? `event ${step + 1}: ` : "";
  return differences.map(({ field, wanted, got }) =>
    wanted === "" ? `${at}${field}` : `${at}${field}: wanted ${wanted}, got ${got}`,
  );
}
