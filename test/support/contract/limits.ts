import { expect } from "vitest";
import { limitCeilings } from "@hookwarden/sandbox";
import type { Harness, Part } from "./harness.ts";

/** A hook that says whether the sandbox still works as it should. */
const well = "export default (event) => [event.tool_name, typeof leaked];";

async function expectWell({ value }: Harness): Promise<void> {
  expect(await value(well)).toEqual(["Bash", "undefined"]);
  expect(await value(well, { tenant: "another" })).toEqual(["Bash", "undefined"]);
}

/** Every limit at its boundary, and that the sandbox is as good as new afterwards. */
export function limits({ test }: Part): void {
  test("ends work without end", async (harness) => {
    for (const source of [
      "export default () => { for (;;); };",
      "export default () => { for (;;) { try { for (;;) throw 1; } catch {} finally { continue; } } };",
      "export default () => { while (true) new Array(1000).fill(1.5); };",
      "export default async () => { const loop = async () => { await null; for (;;); }; for (;;) await loop().catch(() => {}); };",
      "export default async () => { for (;;) await null; };",
      "export default () => ({ get action() { for (;;); } });",
      "export default () => ({ toJSON() { for (;;); } });",
      "export default () => new Proxy({}, { ownKeys() { for (;;); } });",
      "export default () => { throw { get message() { for (;;); }, get name() { for (;;); }, get stack() { for (;;); } }; };",
      "export default async () => { throw { get message() { for (;;); }, get stack() { for (;;); } }; };",
      "export default () => ({ get then() { for (;;); } });",
      "export default { get PreToolUse() { let n = 0; return () => { for (;;) n++; }; } };",
      "export default () => { console.log({ toJSON() { for (;;); } }); };",
      "export default () => /(a+)+b/.test('a'.repeat(100));",
      "export default () => { function* all() { for (;;) yield 1; } for (const _ of all()); };",
      "export default () => { const mk = () => ({ then(done) { done(mk()); } }); return mk(); };",
    ]) {
      const code = await harness.fault(source, { limits: { wallMs: 100 } });
      expect(["timeout", "steps-exceeded"], source).toContain(code);
    }
    await expectWell(harness);
  });

  test("holds the wall clock", async (harness) => {
    const source = "export default () => { for (;;); };";
    for (const wallMs of [1, 30, 150]) {
      const started = performance.now();
      const outcome = await harness.call(source, { limits: { wallMs, steps: limitCeilings.steps } });
      expect(outcome).toMatchObject({ ok: false, fault: { code: "timeout" } });
      const took = performance.now() - started;
      expect(took).toBeGreaterThanOrEqual(wallMs);
      // Wide, because tests share the machine.
      expect(took).toBeLessThan(wallMs + 3_000);
    }
    await expectWell(harness);
  });

  test("counts steps, the same for the same call", async ({ call, fault }) => {
    const source = `export default (event) => { let n = 0; for (let i = 0; i < event; i++) n += Math.random() + [i].map(String).length; return n > 0; };`;
    const steps = async (event: number): Promise<number> =>
      (await call(source, { args: [String(event)] })).steps ?? NaN;
    const few = await steps(100);
    expect(few).toBeGreaterThan(100);
    expect(await steps(100)).toBe(few);
    const many = await steps(100_000);
    expect(many).toBeGreaterThan(few * 500);
    await call("export default () => { for (;;); };");
    await call(source, { args: ["17"], tenant: "another" });
    expect(await steps(100_000)).toBe(many);
    expect(await steps(100)).toBe(few);
    const atMost = Math.ceil(many / 10_000) * 10_000;
    expect(await call(source, { args: ["100000"], limits: { steps: atMost } })).toMatchObject({ ok: true });
    expect(await fault(source, { args: ["100000"], limits: { steps: atMost - 20_000 } })).toBe(
      "steps-exceeded",
    );
  });

  test("holds memory", async (harness) => {
    const grow = (kib: number): string =>
      `export default () => { const all = []; for (let i = 0; i < ${kib}; i++) all.push(new Array(128).fill(1.5)); return all.length; };`;
    for (const [memoryKb, fits, not] of [
      [8_192, 3_000, 60_000],
      [1_024, 256, 60_000],
      [65_536, 30_000, 400_000],
    ] as const) {
      const limits = { memoryKb, steps: limitCeilings.steps, wallMs: 10_000 };
      expect(await harness.value(grow(fits), { limits }), `${fits} in ${memoryKb} KiB`).toBe(fits);
      expect(await harness.fault(grow(not), { limits }), `${not} in ${memoryKb} KiB`).toBe("memory-exceeded");
      expect(await harness.value(grow(fits), { limits }), `${fits} in ${memoryKb} KiB again`).toBe(fits);
    }
    for (const source of [
      "export default () => { let list = null; for (;;) list = { list }; };",
      "const all = []; export default () => { for (;;) all.push(() => all); };",
    ]) {
      expect(await harness.fault(source, { limits: { steps: limitCeilings.steps } }), source).toBe(
        "memory-exceeded",
      );
    }
    const jobs =
      "export default () => { const f = () => { Promise.resolve().then(f); Promise.resolve().then(f); }; f(); return new Promise(() => {}); };";
    expect(["memory-exceeded", "timeout"]).toContain(
      await harness.fault(jobs, { limits: { steps: limitCeilings.steps, wallMs: 1_000 } }),
    );
    await expectWell(harness);
  });

  test("holds the memory of long texts", async (harness) => {
    const source = "export default () => { let text = 'x'; for (;;) text += text.slice(1) + 'y'; };";
    expect(await harness.fault(source, { limits: { steps: limitCeilings.steps } })).toBe("memory-exceeded");
    await expectWell(harness);
  });

  test("holds the memory of tables", async (harness) => {
    for (const source of [
      "export default () => { const all = new Set(); for (;;) all.add({}); };",
      "export default () => { const all = new Map(); for (let i = 0; ; i++) all.set(i, i); };",
      "export default () => { const all = {}; for (let i = 0; ; i++) all['key' + i] = i; };",
      "export default () => { for (let i = 0; ; i++) Symbol.for('key' + i); };",
    ]) {
      expect(await harness.fault(source, { limits: { steps: limitCeilings.steps } }), source).toBe(
        "memory-exceeded",
      );
    }
    await expectWell(harness);
  });

  test("holds buffers", async (harness) => {
    const buffer = (bytes: number): string =>
      `export default () => new Uint8Array(${bytes}).fill(7).reduce((a, b) => a + b);`;
    expect(await harness.value(buffer(4_000_000))).toBe(28_000_000);
    for (const source of [
      buffer(30_000_000),
      "export default () => { const all = []; for (;;) all.push(new ArrayBuffer(100_000)); };",
    ]) {
      // One engine lets the guest see that a buffer was refused.
      expect(["memory-exceeded", "threw"], source).toContain(await harness.fault(source));
    }
    await expectWell(harness);
  });

  test("holds the stack", async (harness) => {
    const deep = "export default () => { const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); return f(200); };";
    expect(await harness.value(deep)).toBe(200);
    for (const source of [
      "export default () => { const f = () => f() + 1; return f(); };",
      "export default () => { const o = {}; o.toString = () => String(o); return String(o); };",
      "export default () => { const o = { get a() { return this.a; } }; return o.a; };",
      "export default () => { let p = {}; for (let i = 0; i < 2e4; i++) p = new Proxy(p, {}); return p.a; };",
      "export default () => [1, 2].sort(function f() { return [2, 1].sort(f); });",
      "class A { constructor() { new A(); } } export default () => new A();",
    ]) {
      expect(["stack-exceeded", "threw"], source).toContain(
        await harness.fault(source, { limits: { stackKb: 128 } }),
      );
    }
    const caught =
      "export default () => { let n = 0; const f = () => { n++; f(); }; try { f(); } catch (error) { return [n > 50, error instanceof RangeError]; } };";
    expect(await harness.value(caught)).toEqual([true, true]);
    await expectWell(harness);
  });

  test("gives more stack where more is asked for", async (harness) => {
    const depth =
      "export default () => { let n = 0; const f = () => { n++; f(); }; try { f(); } catch { return n; } };";
    const small = (await harness.value(depth, { limits: { stackKb: 64 } })) as number;
    const large = (await harness.value(depth, { limits: { stackKb: 256 } })) as number;
    expect(large).toBeGreaterThan(small * 2);
  });

  test("holds the input", async (harness) => {
    const source = "export default (text) => text.length;";
    // Two brackets around the argument, two quotes around the text.
    const text = (bytes: number): string => `"${"x".repeat(bytes - 4)}"`;
    expect(await harness.value(source, { args: [text(2_048)], limits: { inputBytes: 2_048 } })).toBe(2_044);
    expect(await harness.fault(source, { args: [text(2_049)], limits: { inputBytes: 2_048 } })).toBe(
      "input-too-large",
    );
    expect(
      await harness.value(source, { args: [`"${"€".repeat(1_000)}"`], limits: { inputBytes: 3_004 } }),
    ).toBe(1_000);
    expect(
      await harness.fault(source, { args: [`"${"€".repeat(1_001)}"`], limits: { inputBytes: 3_004 } }),
    ).toBe("input-too-large");
    expect(await harness.value(source, { args: [text(1_000_000)] })).toBe(999_996);
    for (const size of [8_180, 10_920, 10_924, 16_384, 32_760, 32_768, 65_536, 262_144]) {
      expect(await harness.value(source, { args: [text(size)] }), `${size} bytes`).toBe(size - 4);
    }
    await expectWell(harness);
  });

  test("holds the answer", async (harness) => {
    const text = (bytes: number): string => `export default () => "${"x".repeat(bytes - 2)}";`;
    expect(await harness.value(text(1_024), { limits: { outputBytes: 1_024 } })).toHaveLength(1_022);
    expect(await harness.fault(text(1_025), { limits: { outputBytes: 1_024 } })).toBe("output-too-large");
    const euro = (count: number): string => `export default () => "€".repeat(${count});`;
    expect(await harness.value(euro(300), { limits: { outputBytes: 902 } })).toHaveLength(300);
    expect(await harness.fault(euro(301), { limits: { outputBytes: 902 } })).toBe("output-too-large");
    const control = (count: number): string => `export default () => "\\0".repeat(${count});`;
    expect(await harness.value(control(100), { limits: { outputBytes: 602 } })).toHaveLength(100);
    expect(await harness.fault(control(101), { limits: { outputBytes: 602 } })).toBe("output-too-large");
    const ones = (count: number): string => `export default () => new Array(${count}).fill(1);`;
    expect(await harness.value(ones(100_000))).toHaveLength(100_000);
    expect(await harness.fault(ones(150_000))).toBe("output-too-large");
    expect(
      await harness.value(text(4_000_000), {
        limits: { outputBytes: limitCeilings.outputBytes, memoryKb: 65_536 },
      }),
    ).toHaveLength(3_999_998);
    const boxed = "export default () => Object.assign(new String(''), { toString: () => 'x'.repeat(1e6) });";
    expect(await harness.fault(boxed)).toBe("output-too-large");
    const laughs = `export default () => { let all = "lol"; for (let i = 0; i < 30; i++) all = { a: all, b: all }; return all; };`;
    expect(["output-too-large", "memory-exceeded", "steps-exceeded", "timeout"]).toContain(
      await harness.fault(laughs),
    );
    await expectWell(harness);
  });

  test("holds the depth of the answer", async (harness) => {
    const nest = (depth: number): string =>
      `export default () => { let all = 1; for (let i = 0; i < ${depth}; i++) all = i % 2 ? [all] : { all }; return all; };`;
    for (const outputDepth of [4, 32, 128]) {
      expect((await harness.call(nest(outputDepth), { limits: { outputDepth } })).ok).toBe(true);
      expect(await harness.fault(nest(outputDepth + 1), { limits: { outputDepth } })).toBe("output-too-deep");
    }
    const wide = "export default () => Array.from({ length: 1000 }, () => [[[]]]);";
    expect((await harness.call(wide, { limits: { outputDepth: 4 } })).ok).toBe(true);
    const getters =
      "export default () => { const next = () => ({ get next() { return next(); } }); return next(); };";
    expect([
      "output-too-deep",
      "threw",
      "stack-exceeded",
      "memory-exceeded",
      "steps-exceeded",
      "timeout",
    ]).toContain(await harness.fault(getters));
    await expectWell(harness);
  });
}
