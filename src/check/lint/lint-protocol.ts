import type { LintResult } from "./index.ts";

/** A program to be looked at, as the child process is given it. */
export interface LintJob {
  readonly name: string;
  readonly source: string;
  readonly map: string | null;
}

/** What the child answers, a line a program. */
export interface LintAnswer {
  readonly name: string;
  readonly result: LintResult;
}
