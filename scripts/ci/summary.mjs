// Prints the closing lines of a check run: skipped tests, failed tests with the beginning of their messages, the names of
// failed steps, and the numbers. Failures come last: a service that keeps only the end of a log still shows them.
//
//     node scripts/ci/summary.mjs FAILED_STEPS REPORT...
//
// FAILED_STEPS has one name a line, empty if all steps passed; each REPORT is a JSON report of the test runner.
import { existsSync, readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** Most lines of a failure's message. */
const maxLines = 12;

const [, , steps = "", ...files] = process.argv;
const failedSteps = steps.split("\n").filter(Boolean);
let passed = 0;
let failed = failedSteps.length;
const failures = [];
for (const file of files) {
  if (!existsSync(file)) {
    failures.push(["a report of the test runner is missing", []]);
    failed = Math.max(1, failed);
    continue;
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  for (const suite of report.testResults ?? []) {
    const tests = suite.assertionResults ?? [];
    // A file that could not be loaded has a message and no tests.
    if (suite.status === "failed" && !tests.some(({ status }) => status === "failed")) {
      failed++;
      failures.push([suite.name, [suite.message]]);
    }
    for (const { status, fullName, failureMessages } of tests) {
      if (status === "failed") failures.push([fullName, failureMessages]);
      if (status === "skipped" || status === "pending") console.log(`skipped: ${fullName}`);
    }
  }
}
for (const [name, messages] of failures) printFailure(name, messages);
for (const name of failedSteps) console.log(`failed step: ${name}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function printFailure(name, messages) {
  console.log(`failed: ${name}`);
  const lines = stripVTControlCharacters((messages ?? []).join("\n"))
    .trimEnd()
    .split("\n");
  for (const line of lines.slice(0, maxLines)) console.log(`    ${line}`);
  if (lines.length > maxLines) console.log(`    (${lines.length - maxLines} more lines)`);
}
