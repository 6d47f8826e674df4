import { expect } from "vitest";
import { defaultLimits, type LogLine } from "@hookwarden/sandbox";
import type { Harness, Part } from "./harness.ts";

async function logs(harness: Harness, body: string, limits = {}): Promise<readonly LogLine[]> {
  const outcome = await harness.call(`export default () => { ${body}; return 1; };`, { limits });
  expect(outcome, body).toMatchObject({ ok: true, output: "1" });
  return outcome.logs;
}

async function line(harness: Harness, body: string): Promise<string | undefined> {
  return (await logs(harness, body))[0]?.text;
}

/** What the log holds, what it costs, and that a hook reaches nothing of it. */
export function consoleOutput({ test }: Part): void {
  test("logs values as JSON would write them", async (harness) => {
    for (const value of [
      "{ a: 1, b: [true, null, 'x\"y'], c: undefined, d() {}, [Symbol()]: 1 }",
      "[undefined, () => {}, NaN, -0, 1e21, [], {}]",
      "{ toJSON() { return { shown: 1 }; } }",
      "{ at: new Date(5), list: [new Date(6)] }",
      "new Uint8Array([1, 2, 3])",
      "[new String('boxed')]",
      "Object.create({ inherited: 1 }, { hidden: { value: 1 }, own: { value: 2, enumerable: true } })",
    ]) {
      const source = `const value = ${value}; console.log(value); return JSON.stringify(value);`;
      const outcome = await harness.call(`export default () => { ${source} };`);
      expect(outcome.ok && JSON.parse(outcome.output as string), value).toBe(outcome.logs[0]?.text);
    }
    expect(await line(harness, "console.log(new TypeError('no'), {}, 10n, Symbol('s'), () => 1)")).toBe(
      "TypeError: no {} 10 Symbol(s) [function]",
    );
    expect(await line(harness, "const all = { n: 1 }; all.all = [all]; console.log(all)")).toBe(
      '{"n":1,"all":["[circular]"]}',
    );
  });

  // One expression makes a value that takes seconds or all memory to write down, of which a line shows the beginning.
  test("logs the beginning of a huge value at the cost of a line", async (harness) => {
    const small = "console.log('x'.repeat(9000))";
    const base = (await harness.call(`export default () => { ${small}; return 1; };`)).steps ?? 0;
    for (const [value, start] of [
      ["const list = []; list.length = 4e9; console.log(list)", "[null,null,"],
      ["console.log(new Array(1e9))", "[null,null,"],
      ["console.log({ list: [new Array(4e9)] })", '{"list":[[null,'],
      ["console.log(new Uint8Array(4e6))", '{"0":0,"1":0,'],
      ["console.log({ bytes: new Float64Array(5e5) })", '{"bytes":{"0":0,'],
      ["console.log(new String('x'.repeat(1e6)))", '"xxx'],
      ["console.log({ text: '\\0'.repeat(5e5) })", '{"text":"\\u0000'],
      ["let deep = {}; for (let i = 0; i < 200; i++) deep = { deep }; console.log(deep)", '{"deep":{"deep":'],
      [
        "const next = () => new Proxy({}, { get: next, ownKeys: () => [], getOwnPropertyDescriptor: () => ({ value: 1, configurable: true, enumerable: true }) }); console.log([next()])",
        "[",
      ],
      [
        "let wide = []; for (let i = 0; i < 8; i++) wide = Array(30).fill(wide); console.log(wide)",
        "[[[[[[[[",
      ],
      ["console.log({ n: 2n ** 200000n })", '{"n":[bigint]'],
    ] as const) {
      const outcome = await harness.call(`export default () => { ${value}; return 1; };`);
      expect(outcome, value).toMatchObject({ ok: true, output: "1" });
      expect(outcome.logs[0]?.text.startsWith(start), `${value}: ${outcome.logs[0]?.text.slice(0, 40)}`).toBe(
        true,
      );
      expect(outcome.logs.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(8_192 + 30);
      expect((outcome.steps ?? 0) - base, value).toBeLessThan(400_000);
    }
  });

  // The guest's side counts code units, the host bytes: a hook could hide lines from their count.
  test("counts every line that it drops", async (harness) => {
    const shown = async (body: string, logBytes = 8_192): Promise<[number, string | undefined]> => {
      const lines = await logs(harness, body, { logBytes });
      const bytes = lines.slice(0, -1).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
      expect(bytes, body).toBeLessThanOrEqual(logBytes);
      return [lines.length - 1, lines.at(-1)?.text];
    };
    expect(await shown("for (let i = 0; i < 50; i++) console.log('é'.repeat(1000))")).toEqual([
      5,
      "dropped 45 lines",
    ]);
    expect(await shown("for (let i = 0; i < 50; i++) console.log('x'.repeat(1000))")).toEqual([
      9,
      "dropped 41 lines",
    ]);
    expect(await shown("for (let i = 0; i < 9000; i++) console.log()")).toEqual([8_192, "dropped 808 lines"]);
    expect(await shown("console.log('€'.repeat(64)); console.log(1)", 64)).toEqual([1, "dropped 1 lines"]);
    expect(await shown("console.log(1); console.log(2)", 0)).toEqual([0, "dropped 2 lines"]);
    // Logs from within what is being logged: 31 calls, of which the innermost fills the log.
    const nested =
      "let d = 0; const mk = () => ({ toJSON() { if (d++ < 30) console.log(mk()); return 'x'.repeat(9000); } }); console.log(mk())";
    expect(await shown(nested)).toEqual([1, "dropped 30 lines"]);
  });

  // A call that fails for want of stack must leave nothing half done, or the reply breaks, or chance depends on depth.
  test("keeps console, chance and symbols whole near the end of the stack", async (harness) => {
    const dive = (use: string): string =>
      `const use = () => { try { ${use} } catch {} }; const dive = () => { try { dive(); } catch { use(); throw new RangeError('up'); } };
       for (let i = 0; i < 3; i++) { try { dive(); } catch {} }`;
    for (const stackKb of [64, 256]) {
      const limits = { stackKb };
      for (const use of [
        "console.log('x');",
        "console.log({ a: [{ toJSON() { return 1; } }] });",
        "new Date().toString(); String(Date);",
      ]) {
        const outcome = await harness.call(`export default () => { ${dive(use)} return 1; };`, { limits });
        expect(outcome, use).toMatchObject({ ok: true, output: "1" });
        for (const { level, text } of outcome.logs) {
          // The last line that fits is cut.
          const whole = ["x", '{"a":[1]}', "[object]", "dropped"].some((known) =>
            known.startsWith(text.split(" ")[0] as string),
          );
          expect([level === "log" || level === "warn", whole], text).toEqual([true, true]);
        }
      }
      const fin =
        "export default () => { const dive = () => { try { dive(); } finally { console.log('x'); } }; try { dive(); } catch {} return 1; };";
      expect(await harness.value(fin, { limits })).toBe(1);
      const first = await harness.value("export default () => Math.random();");
      const late = `export default () => { let first; ${dive("first ??= Math.random();")} return first; };`;
      expect(await harness.value(late, { limits })).toBe(first);
      const symbols = `export default () => { let n = 0; const made = []; ${dive("const key = 'k' + n++; made.push(key); Symbol.for(key);")}
        return made.every((key) => Symbol.keyFor(Symbol.for(key)) === key); };`;
      expect(await harness.value(symbols, { limits })).toBe(true);
    }
  });

  // Engines keep lists while they write JSON; a setter at an index of `Array.prototype` is handed what they hold.
  test("gives a hook no hold of the log", async (harness) => {
    const hook = (on: string, steal: string): string => `
      export default () => {
        console.log('a'); console.log('b');
        for (const key of [0, 1, 2, 3]) Object.defineProperty(${on}, key, {
          configurable: true, get() { return undefined; },
          set(v) {
            const steal = (list) => { ${steal} };
            steal(this); steal(v);
            Object.defineProperty(this, key, { value: v, writable: true, enumerable: true, configurable: true });
          },
        });
        return { action: 'continue' };
      };`;
    for (const on of ["Array.prototype", "Object.prototype"]) {
      for (const steal of [
        "if (Array.isArray(list) && Array.isArray(list[0])) { list[0][0] = 'evil'; list.length = 1; }",
        "if (Array.isArray(list) && typeof list[0] === 'string') { list[1] = 'forged'; }",
        "if (Array.isArray(list)) list[5] = ['error', 'forged'];",
        "if (list && typeof list === 'object') list.toJSON = () => 'forged';",
      ]) {
        const outcome = await harness.call(hook(on, steal));
        // The engine's own list of the answer's objects may be spoilt, which is the hook's own loss.
        if (!outcome.ok) expect(["threw"], `${on} ${steal}`).toContain(outcome.fault.code);
        expect(outcome.logs, `${on} ${steal}`).toEqual([
          { level: "log", text: "a" },
          { level: "log", text: "b" },
        ]);
      }
    }
    const patched = `
      const evil = { toJSON() { return 'forged'; } };
      for (const patch of [
        () => { String.prototype.toJSON = Array.prototype.toJSON = evil.toJSON; },
        () => { Object.defineProperty(Array, Symbol.species, { value: undefined }); },
        () => { Array.prototype.join = () => 'forged'; RegExp.prototype.exec = () => null; },
        () => { Array.prototype[Symbol.iterator] = String.prototype[Symbol.iterator] = function* () { yield 'forged'; }; },
      ].values()) try { patch(); } catch {}
      export default () => { console.log('a', { b: 1 }); };`;
    expect((await harness.call(patched)).logs).toEqual([{ level: "log", text: 'a {"b":1}' }]);
  });

  // The names of a module's handlers are read after its code has run.
  test("reads the true handlers of a module with setters on arrays", async (harness) => {
    const source = `
      for (const key of [0, 1]) try { Object.defineProperty(Array.prototype, key, {
        configurable: true, get() { return undefined; },
        set(v) { for (const list of [this, v]) if (Array.isArray(list)) try { list[5] = { toJSON() { return 7; } }; list.length = 6; } catch {}
          Object.defineProperty(this, key, { value: v, writable: true, enumerable: true, configurable: true }); },
      }); } catch {}
      export default { PreToolUse() { return 1; }, Stop() { return 2; } };`;
    const inspection = await harness.sandbox.inspect(
      { key: source, name: "hook.js", source },
      defaultLimits,
      "tenant",
    );
    expect(inspection).toEqual({ ok: true, handlers: ["PreToolUse", "Stop"] });
  });
}
