import type { ErrorPlace } from "../../errors/index.ts";
import type { Severity } from "./row.ts";
import type { LintCode } from "./table.ts";

/** Whose code a finding is in: the pack's, an npm package's, or that of our own helpers. */
export type CodeOrigin = "pack" | "package" | "helper";

/** Something risky in the code of a script. */
export interface LintFinding {
  readonly code: LintCode;
  readonly severity: Severity;
  /** One lower-case sentence, with the code that it is about in backticks. */
  readonly message: string;
  /** File, line and column of the source, where the source map has it; else of the program. */
  readonly place: ErrorPlace;
  readonly origin: CodeOrigin;
}
