import type { TestReport } from "../test-pack.ts";

/** A report as a plain value for JSON: every case with its differences, and the totals of coverage. */
export function jsonReport(report: TestReport): object {
  const { engines, hooks, passed, failed, durationMs, coverage } = report;
  return {
    engines,
    passed,
    failed,
    duration_ms: Math.round(durationMs),
    hooks: hooks.map(({ hook, results, untested }) => ({
      hook,
      untested,
      cases: results.map(({ name, engine, file, pointer, failures, durationMs: took }) => ({
        name,
        engine,
        file,
        pointer,
        passed: failures.length === 0,
        failures,
        duration_ms: Math.round(took),
      })),
    })),
    coverage: coverage && { totals: coverage.totals, files: coverage.files, lost: coverage.lost },
  };
}
