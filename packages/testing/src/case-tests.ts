/** `@hookwarden/testing`: the cases of a pack, in a test runner such as vitest. */
import { failureLines } from "./report/failure-lines.ts";
import { listCases } from "hookwarden/check";
import { type HookReport, testPack, type TestOptions, type TestReport } from "./test-pack.ts";

export type { Coverage, CoverageTotals } from "./cover/index.ts";
export type { Difference, CaseResult, StepFailure } from "hookwarden/check";
export {
  type HookReport,
  testPack,
  type TestEngine,
  type TestOptions,
  type TestReport,
} from "./test-pack.ts";

/** What of a test runner is used; vitest and Jest have it. */
export interface TestRunner {
  readonly test: (name: string, body: () => Promise<void>, timeoutMs: number) => unknown;
  readonly expect: (value: unknown) => { toEqual(wanted: unknown): unknown };
}

export interface CaseTestsOptions extends Pick<TestOptions, "engine" | "hooks" | "load"> {
  /** Longest time of one test, in milliseconds; the first one waits for the pack to be loaded. Default 120,000. */
  readonly timeoutMs?: number;
}

/**
 * Makes a test of every case of a pack. All cases run together when the first of these tests begins; each test then
 * reports how its own case fared, on every engine.
 *
 * @param dir folder of the pack.
 * @throws {HookwardenError} for a pack or cases that cannot be read. The rest fails the tests.
 *
 * @example
 *     import { expect, test } from "vitest";
 *     import { caseTests } from "@hookwarden/testing";
 *     await caseTests("./policies", { test, expect });
 */
export async function caseTests(
  dir: string,
  { test, expect }: TestRunner,
  { timeoutMs = 120_000, ...options }: CaseTestsOptions = {},
): Promise<void> {
  const lists = await listCases(dir);
  let running: Promise<TestReport> | null = null;
  const report = (): Promise<TestReport> => (running ??= testPack(dir, options));
  for (const { hook, cases } of lists) {
    if (options.hooks && !options.hooks.includes(hook)) continue;
    for (const { name, pointer } of cases) {
      test(
        `${hook}: ${name}`,
        async () => {
          const { hooks } = await report();
          expect(failuresOf(hooks, hook, pointer)).toEqual([]);
        },
        timeoutMs,
      );
    }
  }
}

function failuresOf(hooks: readonly HookReport[], hook: string, pointer: string): readonly string[] {
  const results =
    hooks.find((one) => one.hook === hook)?.results.filter((one) => one.pointer === pointer) ?? [];
  // The files may have changed since the tests were made: what did not run has not passed.
  if (results.length === 0) return ["the case did not run"];
  return results.flatMap((result) => failureLines(result).map((line) => `${result.engine}: ${line}`));
}
