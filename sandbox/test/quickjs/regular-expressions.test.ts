/** Backtracking is work of the call: a pattern that takes exponential time must not run until the clock ends it. */
import { expect, it } from "vitest";
import { createQuickjsSandbox } from "../../src/quickjs/index.ts";
import { harnessOf } from "../../../test/support/contract/harness.ts";

const exponential = 'export default (n) => /^(a+)+$/.test("a".repeat(n) + "!");';
const polynomial = 'export default (n) => /x*y*z*b/.test("x".repeat(n) + "!");';

it("counts a match that backtracks, the same each time", async () => {
  await using sandbox = await createQuickjsSandbox();
  const { call } = harnessOf(sandbox);
  const steps = async (source: string, n: number): Promise<number | null> => {
    const outcome = await call(source, { args: [String(n), "{}"], limits: { steps: 50_000_000 } });
    expect(outcome).toMatchObject({ ok: true, output: "false" });
    return outcome.steps;
  };
  for (const [source, short, long] of [
    [exponential, 14, 17],
    [polynomial, 400, 1_200],
  ] as const) {
    const [few, many] = [(await steps(source, short))!, (await steps(source, long))!];
    // Eight times the work, and nine.
    expect(many / few).toBeGreaterThan(5);
    expect(many / few).toBeLessThan(14);
    for (let i = 0; i < 3; i++) expect(await steps(source, long)).toBe(many);
  }
});

it("ends a match without end by its steps, and never by what the guest makes of it", async () => {
  await using sandbox = await createQuickjsSandbox();
  const { call } = harnessOf(sandbox);
  for (const run of [
    "/^(a+)+$/.test(text)",
    "text.replace(/^(a+)+$/, 'x')",
    "text.match(/(a*)*b/)",
    "text.split(/(a|aa)+$/)",
    "[...text.matchAll(/^(a|a)*$/g)]",
    "text.search(/(?=(a+)+b)/)",
    "new RegExp('^(a+)+$', 'iu').exec(text)",
    "text.match(/(?<=^b(a+)+!)$/)",
  ]) {
    const source = `export default () => { const text = "a".repeat(64) + "!"; try { ${run}; } catch {} return "went on"; };`;
    const first = await call(source, { limits: { steps: 1_000_000, wallMs: 10_000 } });
    expect(first, run).toMatchObject({ ok: false, fault: { code: "steps-exceeded" } });
    const { steps } = await call(source, { limits: { steps: 1_000_000, wallMs: 10_000 } });
    expect(steps, run).toBe(first.steps);
  }
});

it("leaves at most 10,000 steps of each match uncounted", async () => {
  await using sandbox = await createQuickjsSandbox();
  const { call } = harnessOf(sandbox);
  const counted = async (matches: number): Promise<number> => {
    const source = `export default () => { for (let i = 0; i < ${matches}; i++) /^(a+)+$/.test("aaaaaaaaaaaaaaaa!"); };`;
    const { ok, steps } = await call(source, { limits: { steps: 50_000_000 } });
    expect(ok).toBe(true);
    return steps!;
  };
  // Each match has the same cost: what is rounded off does not add up to the next one.
  const [one, ten] = [await counted(1), await counted(10)];
  expect(one).toBeGreaterThan(100_000);
  expect(ten / one).toBeGreaterThan(9.9);
  expect(ten / one).toBeLessThan(10.1);
});
