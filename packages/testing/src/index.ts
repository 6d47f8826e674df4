/** The cases of a pack: run, reported, and as tests of a test runner. */
export { caseTests, type CaseTestsOptions, type TestRunner } from "./case-tests.ts";
export type { Coverage, CoverageTotals } from "./cover/index.ts";
export { jsonReport } from "./report/json.ts";
export { junitReport } from "./report/junit.ts";
export { tapReport } from "./report/tap.ts";
export { failureLines } from "./report/failure-lines.ts";
export {
  type HookReport,
  testPack,
  type TestEngine,
  type TestOptions,
  type TestReport,
} from "./test-pack.ts";
export type { CaseResult, Difference, StepFailure } from "hookwarden/check";
