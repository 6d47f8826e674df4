import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, limitCeilings, type Outcome, type Sandbox } from "../../src/index.ts";
import { harnessOf } from "../../../test/support/contract/harness.ts";

/**
 * A guest's recursion is recursion on V8's stack too, and V8's frames are larger before the code that made them has been
 * optimised. Whether a hook comes through must not depend on that: its own limit has to come first, always.
 */
const times = (text: string, n: number): string => text.repeat(n);

/** Kinds of recursion, and how much of V8's stack they take: many kilobytes of it for one of the guest's. */
const atLoad: Record<string, (n: number) => string> = {
  index: (n) => `const a = [0]; const x = ${times("a[", n)}0${times("]", n)}; export default () => 1;`,
  parentheses: (n) => `const x = ${times("(", n)}0${times(")", n)}; export default () => 1;`,
  "computed keys": (n) => `const x = ${times("({[", n)}1${times("]:1})", n)}; export default () => 1;`,
  "optional chains": (n) =>
    `const a = {}; const x = ${times("a?.[", n)}0${times("]", n)}; export default () => 1;`,
  functions: (n) => `${times("(function () {", n)}${times("})", n)}; export default () => 1;`,
  groups: (n) => `const x = /${times("(?:", n)}a${times(")", n)}/; export default () => 1;`,
};
const caught = (make: string, use: string): string =>
  `export default () => { ${make}; try { ${use}; return "fine"; } catch (error) { return "caught"; } };`;
const grow = (n: number, from: string, step: string): string =>
  `let x = ${from}; for (let i = 0; i < ${n}; i++) x = ${step}`;
const atRun: Record<string, (n: number) => string> = {
  calls: (n) => caught(`const f = (d) => (d === 0 ? 0 : 1 + f(d - 1))`, `f(${n})`),
  flat: (n) => caught(grow(n, "[]", "[x]"), "x.flat(Infinity)"),
  "texts of arrays": (n) => caught(grow(n, "[1]", "[x]"), "String(x)"),
  proxies: (n) => caught(grow(n, "{}", "new Proxy(x, {})"), "x.a"),
  "JSON that is read": (n) => caught(`const x = "[".repeat(${n}) + "]".repeat(${n})`, "JSON.parse(x)"),
  "JSON that is written": (n) => caught(grow(n, "{}", "({ x })"), `JSON.stringify(x)`),
  patterns: (n) => caught(`const x = "(?:".repeat(${n}) + "a" + ")".repeat(${n})`, "new RegExp(x)"),
  iterators: (n) => caught(grow(n, "[1].values()", "x.map((v) => v)"), "x.next()"),
};

function show(outcome: Outcome): string {
  return outcome.ok ? String(outcome.output) : outcome.fault.code;
}

describe.each(["process", "inline"] as const)("the stack of quickjs, %s", (isolation) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox(isolation === "inline" ? { isolation } : { processes: 1 });
  });
  afterAll(() => sandbox[Symbol.asyncDispose]());

  const run = (source: string, stackKb: number): Promise<Outcome> =>
    harnessOf(sandbox).call(source, {
      limits: { stackKb, memoryKb: 65_536, steps: limitCeilings.steps, wallMs: 10_000 },
    });

  it.each([64, 256, limitCeilings.stackKb])(
    "ends all recursion by its own limit of %i KiB",
    async (stackKb) => {
      for (const [name, source] of Object.entries(atLoad)) {
        expect(show(await run(source(5), stackKb)), name).toBe("1");
        // More than any limit holds, while it is loaded: one code, whatever noticed it.
        const outcome = await run(source(Math.min(stackKb * 40, 20_000)), stackKb);
        expect(outcome, name).toMatchObject({ ok: false, fault: { code: "stack-exceeded" } });
      }
      for (const [name, source] of Object.entries(atRun)) {
        expect(show(await run(source(5), stackKb)), name).toBe('"fine"');
        // An overflow of V8's stack could not be caught. To write JSON takes quadratic time, so that one is driven to the limit at 64 KiB only.
        const isSlow = name === "JSON that is written";
        const slow = stackKb > 64 ? 4_000 : 6_000;
        const outcome = await run(source(isSlow ? slow : stackKb * 100), stackKb);
        expect(isSlow && stackKb > 64 ? ['"fine"', '"caught"'] : ['"caught"'], name).toContain(show(outcome));
      }
    },
  );
});

it("gives the same answer in a new process as in one whose code is optimised", async () => {
  const kinds = [atLoad["index"]!, atRun["texts of arrays"]!];
  const passes = async (sandbox: Sandbox, source: string): Promise<boolean> => {
    const outcome = await harnessOf(sandbox).call(source, {
      limits: { stackKb: limitCeilings.stackKb, memoryKb: 65_536, steps: limitCeilings.steps },
    });
    return outcome.ok && outcome.output !== '"caught"';
  };
  const edges: number[] = [];
  {
    await using warm = await createSandbox({ processes: 1 });
    for (const kind of kinds) {
      for (let round = 0; round < 15; round++) await passes(warm, kind(300 + round));
      let [low, high] = [1_000, 60_000];
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (await passes(warm, kind(middle))) low = middle;
        else high = middle;
      }
      edges.push(low);
    }
  }
  for (const [index, kind] of kinds.entries()) {
    await using cold = await createSandbox({ processes: 1 });
    expect(await passes(cold, kind(edges[index]!))).toBe(true);
    expect(await passes(cold, kind(edges[index]! + 1))).toBe(false);
  }
});
