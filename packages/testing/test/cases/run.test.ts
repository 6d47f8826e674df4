import { describe, expect, test } from "vitest";
import { type TestReport, testPack } from "../../src/test-pack.ts";
import { tapReport } from "../../src/report/tap.ts";
import { junitReport } from "../../src/report/junit.ts";
import { folder } from "../../../../test/cli/cli.ts";
import { bash, packWith } from "./packs.ts";

async function run(cases: unknown, manifest: object = {}, options: object = {}): Promise<TestReport> {
  await using dir = await folder(packWith(cases, manifest));
  return await testPack(dir.path, { engine: "quickjs", ...options });
}

const fieldsOf = (report: TestReport): readonly unknown[] =>
  report.hooks.flatMap(({ results }) =>
    results.flatMap(({ failures }) =>
      failures.flatMap(({ step, differences }) =>
        differences.map(({ field, wanted, got }) => [step, field, wanted, got]),
      ),
    ),
  );

describe("cases", { timeout: 60_000 }, () => {
  test("that hold, pass on both engines", async () => {
    const report = await run(
      [
        {
          name: "a",
          event: bash("rm x"),
          expect: { verdict: "deny", reason: { equals: "no rm x" }, state: { n: 1 } },
        },
        {
          name: "b",
          event: bash("rewrite"),
          expect: { verdict: "continue", changes: { tool_input: { list: [1, { a: 1 }], command: "y" } } },
        },
        { name: "c", event: bash("boom"), expect: { verdict: "deny", fault: "threw" } },
        { name: "d", event: bash("loop"), expect: { verdict: "deny", fault: ["steps-exceeded", "timeout"] } },
        {
          name: "e",
          config: { word: "mv" },
          state: { n: 4 },
          events: [bash("rm"), bash("mv"), bash("ls", { session_id: "other" })],
          expect: [null, { verdict: "deny", state: { n: 6 } }, { verdict: "continue", state: { n: 1 } }],
        },
        {
          name: "f",
          event: bash("notify"),
          expect: { verdict: "continue", additions: { notices: ["noted"], context: [] }, state: null },
        },
        { name: "g", event: bash("rm", { tool_name: "Read" }), expect: { verdict: "continue", state: null } },
      ],
      // What only watches is tested as if it counted.
      { monitor: true },
      { engine: "both" },
    );
    expect(fieldsOf(report)).toEqual([]);
    expect([report.passed, report.failed, report.engines]).toEqual([14, 0, ["quickjs", "isolate"]]);
  });

  test("that do not hold, tell field by field why", async () => {
    const report = await run([
      { name: "a", event: bash("ls"), expect: { verdict: "deny", reason: "no", state: { n: 2, m: 1 } } },
      {
        name: "b",
        event: bash("rewrite"),
        expect: { verdict: "continue", changes: { tool_input: { command: "y", list: [1, { a: 2 }] } } },
      },
      { name: "c", event: bash("boom"), expect: { verdict: "deny" } },
      {
        name: "d",
        events: [bash("ls"), bash("boom")],
        expect: [{ verdict: "continue", fault: "threw" }, null],
      },
      { name: "e", event: bash("notify"), expect: { verdict: "continue", additions: { notices: [] } } },
      { name: "f", event: bash("rm"), expect: { verdict: "deny", reason: { matches: "^rm" } } },
    ]);
    expect(report.failed).toBe(6);
    expect(fieldsOf(report)).toEqual([
      [0, "verdict", '"deny"', '"continue"'],
      [0, "reason", 'a text that contains "no"', "nothing"],
      [0, "state.n", "2", "1"],
      [0, "state.m", "1", "nothing"],
      [0, "changes.tool_input.list.1.a", "2", "1"],
      [0, "fault", "no fault", expect.stringContaining("threw: ")],
      [0, "fault", "threw", "no fault"],
      [1, "fault", "no fault", expect.stringContaining("threw: ")],
      [0, "additions.notices", "0 of them", '1: ["noted"]'],
      [0, "reason", 'a text that matches "^rm"', '"no rm"'],
    ]);
    expect(tapReport(report)).toMatch(/^TAP version 14\n1\.\.6\nnot ok 1 - guard: a \(quickjs\)\n/);
    expect(tapReport(report)).not.toContain("\u001b");
    expect(junitReport(report)).toContain('tests="6" failures="6"');
    expect(junitReport(report)).not.toContain("\u001b");
  });

  test("see the same random numbers in every run", async () => {
    const cases = [{ name: "a", event: bash("random"), expect: { verdict: "deny", reason: { equals: "" } } }];
    const [first, second] = [fieldsOf(await run(cases)), fieldsOf(await run(cases))];
    expect(first).toEqual(second);
    expect(JSON.stringify(first)).toMatch(/0\.\d{5}/);
  });

  test("are filtered by hook and name, and a filter that finds none is an error", async () => {
    const cases = [
      { name: "Keeps", event: bash("ls"), expect: { verdict: "continue" } },
      { name: "drops", event: bash("ls"), expect: { verdict: "deny" } },
    ];
    expect((await run(cases, {}, { filter: "GUARD: keep" })).passed).toBe(1);
    await expect(run(cases, {}, { filter: "kepes" })).rejects.toMatchObject({ code: "usage" });
  });

  test.each([
    ["a config that the schema refuses", { config: { wort: "x" } }, "/0/config"],
    ["a state that is too large", { state: "x".repeat(100) }, "/0/state"],
  ])("with %s are refused", async (_, more, pointer) => {
    const cases = [{ name: "a", event: bash("ls"), expect: { verdict: "continue" }, ...more }];
    await expect(run(cases)).rejects.toMatchObject({
      code: "cases-invalid",
      place: { file: "guard/cases.json", pointer },
    });
  });

  test("coverage reports what ran, and changes nothing", async () => {
    const cases = [
      { name: "a", event: bash("rm"), expect: { verdict: "deny" } },
      { name: "b", event: bash("boom"), expect: { verdict: "deny", fault: "threw" } },
    ];
    const { coverage, failed } = await run(cases, {}, { coverage: true });
    expect(failed).toBe(0);
    expect(coverage?.lost).toBe(0);
    expect(Object.keys(coverage?.files ?? {})).toEqual(["guard/hook.js"]);
    const lines = Object.values(coverage?.map.toJSON() ?? {})[0];
    const hits = coverage?.map.fileCoverageFor(coverage.map.files()[0] as string).getLineCoverage();
    expect(lines).toBeDefined();
    // Line 5 threw once; lines 9 to 11 never ran; line 8 gave the first answer.
    expect(hits).toMatchObject({ 3: 2, 4: 2, 9: 0, 10: 0, 11: 0 });
    expect(coverage?.totals.lines).toBeLessThan(100);
    expect(coverage?.totals.functions).toBe(100);
  });
});
