import { expect } from "vitest";
import { limitCeilings, type Outcome } from "@hookwarden/sandbox";
import type { Harness, Part } from "./harness.ts";

/** Modules that never finish loading, each of its own kind. */
const endless: Readonly<Record<string, string>> = {
  // Resolving a promise with a thenable queues the next job: the module waits for ever, and there is always work left.
  "a storm of thenables":
    "await { then(done) { done({ then: this.then }); } }; export default () => ({ action: 'continue' });",
  "a trap of the exported object":
    "export default new Proxy({}, { ownKeys() { for (;;); }, getOwnPropertyDescriptor() { for (;;); } });",
  "a loop at the top level": "for (;;); export default () => 1;",
  // The module itself is done at once; only its jobs are not.
  "a chain of jobs": "const next = () => { Promise.resolve().then(next); }; next(); export default () => 1;",
};

let count = 0;
/** The same source as a program that no test before has loaded. */
const fresh = (source: string): string => `${source} // ${++count}`;

function messageOf(outcome: Outcome): string {
  return outcome.ok ? `answered ${outcome.output}` : outcome.fault.message;
}

async function expectWell({ value }: Harness): Promise<void> {
  expect(await value("export default () => 'well';", { tenant: "neighbour" })).toBe("well");
}

/** What loading a program may take, what it leaves behind, and what a failure of it costs later calls. */
export function loading({ test }: Part): void {
  test("runs the jobs that a module queues before its first call", async ({ value }) => {
    for (const [source, expected] of [
      ["let ready = 0; Promise.resolve().then(() => { ready = 1; }); export default () => ready;", 1],
      [
        "let ready = 0; (async () => { for (let i = 0; i < 50; i++) { await null; ready++; } })(); export default () => ready;",
        50,
      ],
      [
        "let ready = 0; await null; Promise.resolve().then(() => 0).then(() => { ready = 2; }); export default () => ready;",
        2,
      ],
      // Getters of the exports run while the module is loaded, too.
      [
        "let ready = 0; export default { get PreToolUse() { Promise.resolve().then(() => { ready = 3; }); return () => ready; } };",
        3,
      ],
      ["let ready = 0; Promise.reject(1).catch(() => { ready = 4; }); export default async () => ready;", 4],
      // The clock stands where it does for the rest of the module.
      ["let at; Promise.resolve().then(() => { at = Date.now(); }); export default () => at;", 0],
      [
        "let left = 0; Promise.resolve().then(() => { throw new Error('unhandled'); }); Promise.resolve().then(() => { left = 5; }); export default () => left;",
        5,
      ],
    ] as const) {
      for (let call = 0; call < 3; call++) expect(await value(source), source).toBe(expected);
    }
  });

  test("bounds loading by the time that the caller has, and names that limit", async (harness) => {
    for (const [what, source] of Object.entries(endless)) {
      // So short that no machine gets to the limit of steps.
      const outcome = await harness.call(fresh(source), { budgetMs: 40 });
      expect(outcome, what).toMatchObject({ ok: false, fault: { code: "timeout" }, loadTimedOut: true });
      expect(messageOf(outcome), what).toMatch(
        /took longer to load than the 40 ms that were left of `budgets\.decisionMs`/,
      );
    }
    await expectWell(harness);
  });

  test("does not load a program again that has just run out of time", async (harness) => {
    const source = fresh(endless["a storm of thenables"]!);
    const first = await harness.call(source, { budgetMs: 150 });
    expect(messageOf(first)).not.toContain("not loaded again");
    for (let call = 0; call < 3; call++) {
      const again = await harness.call(source, { budgetMs: 200 });
      expect(again).toMatchObject({ ok: false, fault: { code: "timeout" }, loadTimedOut: true });
      expect(messageOf(again)).toMatch(/150 ms .* it is not loaded again for \d+ ms$/);
    }
    // Much more time is a reason to try, and neither another tenant nor the caller that forgets the program has to wait.
    expect(messageOf(await harness.call(source, { budgetMs: 320 }))).toMatch(/the 320 ms[^;]*$/);
    expect(messageOf(await harness.call(source, { budgetMs: 160, tenant: "other" }))).toMatch(
      /the 160 ms[^;]*$/,
    );
    harness.sandbox.forget(source);
    expect(messageOf(await harness.call(source, { budgetMs: 170 }))).toMatch(/the 170 ms[^;]*$/);
    await expectWell(harness);
  });

  test("loads a program once for calls that wait for it together", async (harness) => {
    const source = fresh(endless["a storm of thenables"]!);
    const calls = Array.from({ length: 6 }, () => harness.call(source, { budgetMs: 400 }));
    const messages = (await Promise.all(calls)).map(messageOf);
    // A pool may have given one of them to a second child before the first load had failed.
    expect(messages.filter((message) => message.includes("not loaded again")).length).toBeGreaterThan(2);
    await expectWell(harness);
  });

  test("bounds the call by what loading has left of the caller's time", async (harness) => {
    const source = "export default () => { for (;;); };";
    const limits = { steps: limitCeilings.steps };
    const outcome = await harness.call(fresh(source), { budgetMs: 200, limits });
    expect(outcome).toMatchObject({ ok: false, fault: { code: "timeout" } });
    expect(messageOf(outcome)).toMatch(/took longer than the \d+ ms that were left of `budgets\.decisionMs`/);
    expect(outcome).not.toHaveProperty("loadTimedOut");
  });

  test("gives a failed load the same figures each time, whatever ran in between", async ({ call }) => {
    const failing = fresh("throw new Error('at load');");
    const busy =
      "export default (rounds) => { let sum = 0; for (let i = 0; i < rounds; i++) sum += i; return new Array(3e4).fill(1).map((_, i) => ({ i, sum })).length; };";
    const figures = async (): Promise<unknown> => {
      const { steps, memoryBytes, ...rest } = await call(failing);
      expect(rest).toMatchObject({ ok: false, fault: { code: "load-failed" } });
      return { steps, memoryBytes };
    };
    const first = await figures();
    for (const rounds of ["10", "100000", "3000"]) {
      await call(busy, { args: [rounds, "{}"] });
      expect(await figures()).toEqual(first);
    }
  });
}
