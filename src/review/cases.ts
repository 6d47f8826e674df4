export {
  type Case,
  caseDefaults,
  casesFile,
  casesLimits,
  type Expectation,
  type ExpectedText,
  readCases,
} from "../cases/read.ts";
