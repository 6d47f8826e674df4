import { beforeAll, describe, expect, test } from "vitest";
import { type TestReport, testPack } from "../../packages/testing/src/test-pack.ts";
import { casesOf, hookNames, policiesFolder } from "./harness.ts";

describe("the cases, through the whole pipeline", () => {
  let report: TestReport;
  beforeAll(async () => {
    report = await testPack(policiesFolder, { engine: "both", coverage: true });
  }, 400_000);

  test("pass on both engines", () => {
    expect(report.engines).toEqual(["quickjs", "isolate"]);
    const failed = report.hooks.flatMap(({ results }) =>
      results.filter(({ failures }) => failures.length > 0),
    );
    expect(failed.map(({ hook, name, engine, failures }) => [hook, name, engine, failures])).toEqual([]);
    const written = hookNames().reduce((sum, hook) => sum + casesOf(hook).length, 0);
    expect(report.passed).toBe(2 * written);
  });

  test("run at least 95 % of the lines of all scripts", () => {
    expect(report.coverage?.lost).toBe(0);
    expect(Object.keys(report.coverage?.files ?? {})).toEqual(
      expect.arrayContaining(hookNames().map((hook) => `${hook}/hook.ts`)),
    );
    expect(report.coverage?.totals.lines).toBeGreaterThanOrEqual(95);
  });
});
