/** How much a finding weighs: an `error` fails a check, a `warning` fails a strict one, an `info` is there to be read. */
export type Severity = "error" | "warning" | "info";

/** What a finding means, why it matters, and what to do. `docs/findings.md` is made from such rows. */
export interface FindingRow {
  readonly severity: Severity;
  /** One lower-case clause: what was found. */
  readonly means: string;
  readonly why: string;
  readonly fix: string;
}
