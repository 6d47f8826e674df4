/** The cases of a pack: reading, running, comparing, reporting, coverage. */
export { type Difference, differencesOf, type Got } from "./compare.ts";
export {
  type Case,
  caseDefaults,
  casesFile,
  casesLimits,
  type Expectation,
  type ExpectedText,
  readCases,
} from "./read.ts";
export { jsonReport } from "./report/json.ts";
export { junitReport } from "./report/junit.ts";
export { tapReport } from "./report/tap.ts";
export { failureLines } from "./report/words.ts";
export type { CaseResult, StepFailure } from "./run.ts";
export { type ListedCases, listCases } from "./suite.ts";
export {
  type HookReport,
  type TestEngine,
  type TestOptions,
  testPack,
  type TestReport,
} from "./test-pack.ts";
