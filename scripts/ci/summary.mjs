// Prints the closing line of a check run from the number of failed steps and the JSON reports of the test runner.
import { existsSync, readFileSync } from "node:fs";

const [, , steps = "0", ...files] = process.argv;
let passed = 0;
let failed = Number(steps);
for (const file of files) {
  if (!existsSync(file)) {
    console.log("the test runner left no report");
    failed = Math.max(1, failed);
    continue;
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  for (const suite of report.testResults ?? []) {
    for (const test of suite.assertionResults ?? []) {
      if (test.status === "failed") console.log(`failed: ${test.fullName}`);
      if (test.status === "skipped" || test.status === "pending") console.log(`skipped: ${test.fullName}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
