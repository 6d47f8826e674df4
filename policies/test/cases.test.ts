import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { type TestReport, testPack } from "../../packages/testing/src/test-pack.ts";
import { casesOf, hookFolders, hookNames, manifestOf, policiesFolder } from "./harness.ts";

const page = readFileSync(new URL("../../docs/policies.md", import.meta.url), "utf8");

test("every folder is a hook of the pack, and every hook a folder", () => {
  expect([...hookNames()].sort()).toEqual([...hookFolders()].sort());
  expect(hookNames().length).toBeGreaterThanOrEqual(12);
});

describe.each(hookNames())("%s", (hook) => {
  const manifest = manifestOf(hook);
  const cases = casesOf(hook);

  test("has the name of its folder and a section in the docs", () => {
    expect(manifest.name).toBe(hook);
    expect(page).toContain(`\n## ${hook}\n`);
    expect(page).toContain(`| [\`${hook}\`](#${hook})`);
  });

  test("has at least eight cases, with names of their own", () => {
    expect(cases.length).toBeGreaterThanOrEqual(8);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test("does what its manifest says, in its cases", () => {
    const wanted = cases.flatMap(({ expect: expected }) => expected).filter((one) => one !== null);
    const text = JSON.stringify(wanted);
    const verdicts = ["deny", "ask", "block", "retry"];
    const returned = verdicts.filter((verdict) => text.includes(`"verdict":"${verdict}"`));
    expect(returned).toEqual(verdicts.filter((verdict) => manifest.actions.includes(verdict)));
    expect(wanted.some(({ verdict }) => verdict === "continue")).toBe(true);
  });
});

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
