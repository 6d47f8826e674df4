import { expect } from "vitest";
import type { Part } from "./harness.ts";

const plain = `export default () => { throw new Error("plain"); };`;

/** That nothing but the call itself decides how it ends where it comes near the end of its stack. */
export function stack({ test, own }: Part): void {
  // The frame of a call with thousands of arguments is large and not written to, so what runs below it leaves marks near
  // the limit of the stack, and nothing in between.
  const residue = (args: number): string => `
    const count = (...all) => all.length;
    const leaf = (x) => [x].map((v) => JSON.stringify({ v }))[0];
    const hop = (go) => { if (go) return leaf(1); return count(${"0,".repeat(args)}0); };
    export default () => { try { return hop(true); } catch (error) { return 0; } };`;

  test("forgets what an earlier call left on the stack", async ({ call, fault }) => {
    for (const [stackKb, sizes] of [
      [64, [7_000, 7_400, 7_700, 7_800]],
      [256, [30_000, 31_000, 31_500, 31_800, 32_000, 32_100]],
    ] as const) {
      const limits = { stackKb, memoryKb: 32_768, steps: 50_000_000 };
      expect(await fault(plain, { limits })).toBe("threw");
      for (const args of sizes) {
        expect((await call(residue(args), { limits })).ok).toBe(true);
        expect(await fault(plain, { limits }), `${args} arguments in ${stackKb} KiB`).toBe("threw");
      }
    }
  });

  own("forgets it in a kept context as well", { pristine: false }, async ({ call, fault }) => {
    const limits = { stackKb: 64, memoryKb: 32_768, steps: 50_000_000 };
    const deep = residue(7_700).replace("export default", "const deep =");
    const both = `${deep} export default { PreToolUse: deep, Stop() { throw new Error("plain"); } };`;
    const options = { keep: "one", limits };
    expect(await fault(both, { ...options, handler: "Stop" })).toBe("threw");
    expect((await call(both, options)).ok).toBe(true);
    expect(await fault(both, { ...options, handler: "Stop" })).toBe("threw");
  });

  // Native code that calls native code may forget to look at the limit, and run through all memory of the engine.
  test("ends chains of iterators within the limit of the stack", async ({ value }) => {
    for (const step of [
      "all = all.map((x) => x)",
      "all = all.filter(() => true)",
      "all = all.take(9)",
      "all = all.drop(0)",
      "all = all.flatMap((x) => [x])",
      "all = Iterator.from(Object.setPrototypeOf(all, { next: Object.getPrototypeOf(all).next, return: Object.getPrototypeOf(all).return }))",
    ]) {
      for (const use of ["all.next()", "all.return?.()"]) {
        const source = `export default () => {
          let all = [1].values();
          for (let i = 0; i < 150_000; i++) ${step};
          try { ${use}; return "done"; } catch (error) { return error instanceof RangeError; }
        };`;
        const answer = await value(source, {
          limits: { memoryKb: 131_072, steps: 50_000_000, wallMs: 10_000 },
        });
        // One of the engines does without recursion here and there.
        expect([true, "done"], `${step} ${use}`).toContain(answer);
      }
    }
  });
}
