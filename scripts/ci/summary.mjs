// Prints the closing line of a check run from the test runner's JSON report and the number of failed steps.
import { existsSync, readFileSync } from "node:fs";

const [, , file, steps = "0"] = process.argv;
const failedSteps = Number(steps);
if (!file || !existsSync(file)) {
  console.log("the test runner left no report");
  console.log(`0 passed, ${Math.max(1, failedSteps)} failed`);
  process.exit(1);
}
const report = JSON.parse(readFileSync(file, "utf8"));
const passed = report.numPassedTests;
const failed = report.numFailedTests + failedSteps;
for (const suite of report.testResults ?? []) {
  for (const test of suite.assertionResults ?? []) {
    if (test.status === "failed") console.log(`failed: ${test.fullName}`);
    if (test.status === "skipped" || test.status === "pending") console.log(`skipped: ${test.fullName}`);
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
