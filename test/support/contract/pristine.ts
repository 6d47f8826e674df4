import { expect } from "vitest";
import type { Part } from "./harness.ts";

/**
 * Ways to leave something for the next call. Each answers with what it found, and finds nothing in a pristine world.
 * Where built-in objects are frozen, the attempt is refused instead.
 */
const traces: Readonly<Record<string, string>> = {
  "a closure": "const next = (() => { let n = 0; return () => n++; })(); export default () => next();",
  "a module variable": "let n = 0; export default () => n++;",
  "a global": "export default () => { globalThis.n ??= 0; return globalThis.n++; };",
  "a symbol on the global object":
    "const s = Symbol(); export default () => { globalThis[s] ??= 0; return globalThis[s]++; };",
  "a prototype":
    "export default () => { const n = [].n ?? 0; try { Array.prototype.n = n + 1; } catch {} return n; };",
  "Object.prototype":
    "export default () => { const n = ({}).n ?? 0; try { Object.prototype.n = n + 1; } catch {} return n; };",
  "a built-in function":
    "export default () => { const n = JSON.parse.n ?? 0; try { JSON.parse.n = n + 1; } catch {} return n; };",
  "a replaced built-in":
    "export default () => { const n = Math.max.n ?? 0; const old = Math.max; try { Math.max = () => old(); Math.max.n = n + 1; } catch {} return n; };",
  "a deleted built-in":
    "export default () => { const n = 'trunc' in Math ? 0 : 1; try { delete Math.trunc; } catch {} return n; };",
  "a frozen object":
    "export default () => { const n = Object.isFrozen(Array.prototype) === Object.isFrozen(Map.prototype) ? 0 : 1; Object.freeze(Array.prototype); return n; };",
  "the function itself": "export default function hook() { hook.n ??= 0; return hook.n++; }",
  "a regular expression":
    "const r = /x/g; export default () => { const n = r.lastIndex; r.test('xx'); return n; };",
  "a map": "const m = new Map(); export default () => { m.set({}, 1); return m.size - 1; };",
  "a weak map":
    "const key = {}; const m = new WeakMap(); export default () => { const n = m.get(key) ?? 0; m.set(key, n + 1); return n; };",
  "a template":
    "const tag = (s) => s; const t = () => tag`x`; const m = new WeakSet(); export default () => { const n = m.has(t()) ? 1 : 0; m.add(t()); return n; };",
  "the symbol registry":
    "export default () => { const s = Symbol.for('x'); const n = Object.prototype[s] ?? 0; try { Object.prototype[s] = n + 1; } catch {} return n; };",
  "a cached promise":
    "let p; export default async () => { const n = p ? await p : 0; p = Promise.resolve(n + 1); return n; };",
  "a job that is left":
    "let n = 0; export default () => { Promise.resolve().then(() => { n++; }).then(() => { n++; }); return n; };",
  "a job after the answer":
    "let n = 0; export default async () => { const old = n; Promise.resolve().then(() => 0).then(() => 0).then(() => 0).then(() => { n++; }); return old; };",
  "a generator":
    "const g = (function* () { let n = 0; for (;;) yield n++; })(); export default () => g.next().value;",
  "a buffer": "const b = new Uint8Array(64); export default () => b[7]++;",
  "an array's length": "const a = []; export default () => a.push(1) - 1;",
  "the sequence of random numbers":
    "const first = []; export default () => { first.push(Math.random()); return first.length - 1 + (first[0] === first.at(-1) ? 0 : 1); };",
  "the clock": "let last = 0; export default () => { const n = last; last = Date.now(); return n; };",
  "the console":
    "export default () => { const n = console.n ?? 0; try { console.n = n + 1; console.log = () => {}; } catch {} return n; };",
  "the arguments":
    "let kept; export default (event) => { const n = kept ? 1 : 0; kept = event; event.n = 1; return n; };",
  "the stack limit":
    "export default () => { const n = Error.stackTraceLimit === 3 ? 1 : 0; try { Error.stackTraceLimit = 3; } catch {} return n; };",
  "a getter on a prototype":
    "export default () => { const n = 'leak' in {} ? 1 : 0; try { Object.defineProperty(Object.prototype, 'leak', { get() { return 1; }, configurable: true }); } catch {} return n; };",
};

/** Nothing of a call is there in the next one; and with kept contexts, what is there is where it belongs. */
export function pristine({ test, own }: Part): void {
  test("starts every call from the same world", async ({ value }) => {
    for (const [name, source] of Object.entries(traces)) {
      for (let i = 0; i < 4; i++) expect(await value(source), `${name}, call ${i}`).toBe(0);
    }
  });

  test("starts every call from the same world when programs and tenants take turns", async ({ value }) => {
    const sources = Object.entries(traces);
    for (const tenant of ["first", "second", "first"]) {
      for (let round = 0; round < 2; round++) {
        for (const [name, source] of sources) expect(await value(source, { tenant }), name).toBe(0);
      }
    }
    const [, source] = sources[0]!;
    for (let i = 0; i < 6; i++) expect(await value(source, { tenant: `tenant ${i % 3}` })).toBe(0);
  });

  test("starts every call from the same world after a fault", async ({ value, call }) => {
    const source = `let n = 0; export default (event) => {
      const found = typeof [].leaked + typeof globalThis.leaked;
      n++;
      globalThis.leaked = 1;
      try { Array.prototype.leaked = 1; } catch {}
      if (event === "throw") throw 1;
      if (event === "loop") for (;;);
      if (event === "memory") for (const all = []; ; ) all.push({}, []);
      if (event === "stack") { const f = () => f() + 1; f(); }
      if (event === "never") return new Promise(() => {});
      return [n, found];
    };`;
    for (const event of ["throw", "loop", "memory", "stack", "never"]) {
      const outcome = await call(source, { args: [JSON.stringify(event)], limits: { wallMs: 300 } });
      expect(outcome.ok, event).toBe(false);
      for (let i = 0; i < 3; i++)
        expect(await value(source, { args: ['"go"'] }), `after ${event}`).toEqual([1, "undefinedundefined"]);
    }
  });

  test("ignores a key for kept contexts where every call is pristine", async ({ value }) => {
    for (let i = 0; i < 3; i++) expect(await value(traces["a closure"]!, { keep: "session" })).toBe(0);
  });

  test("answers hundreds of calls the same", async ({ value }) => {
    const source = `let n = 0; const r = /x/g; let p;
      export default async () => {
        globalThis.g = (globalThis.g ?? 0) + 1; try { Array.prototype.c = ([].c ?? 0) + 1; } catch {} r.test("xx"); p ??= Promise.resolve(++n);
        return [n, globalThis.g, [].c ?? 1, r.lastIndex, await p];
      };`;
    for (let i = 0; i < 300; i++) expect(await value(source)).toEqual([1, 1, 1, 1, 1]);
  });

  own("keeps a context where the host asked for it", { pristine: false }, async ({ value, call }) => {
    const source = traces["a closure"]!;
    const keep = "session 1";
    for (let i = 0; i < 5; i++) expect(await value(source, { keep })).toBe(i);
    // Another key, tenant or program has a world of its own; no key is a pristine one.
    expect(await value(source, { keep: "session 2" })).toBe(0);
    expect(await value(`${source} // another`, { keep })).toBe(0);
    for (let i = 0; i < 3; i++) expect(await value(source)).toBe(0);
    expect(await value(source, { keep })).toBe(5);
    const clock = "export default () => [Date.now(), Math.random()];";
    const first = await value(clock, { keep, time: 5 });
    expect(await value(clock, { keep, time: 5 })).toEqual(first);
    expect(await value(clock, { keep, time: 6 })).not.toEqual(first);
    // What a call leaves behind is not part of the next one's answer.
    const log = `let n = 0; export default async (event) => {
      console.log("call " + n++);
      if (event === "reject") Promise.reject(new Error("left behind"));
      if (event === "throw") throw new Error("thrown");
      return n;
    };`;
    expect(await call(log, { keep, args: ['"reject"'] })).toMatchObject({
      ok: true,
      output: "1",
      logs: [{ text: "call 0" }],
    });
    expect(await call(log, { keep, args: ['"throw"'] })).toMatchObject({
      ok: false,
      fault: { code: "threw", message: "Error: thrown" },
    });
    expect(await call(log, { keep, args: ["1"] })).toMatchObject({
      ok: true,
      output: "3",
      logs: [{ text: "call 2" }],
    });
    // The host may end what it kept of one tenant when it turns to another; it never shows it to that one.
    expect(await value(source, { keep, tenant: "another" })).toBe(0);
  });

  own(
    "starts a kept context anew after a fault that leaves it in doubt",
    { pristine: false },
    async ({ value, fault }) => {
      const source = `let n = 0; export default (event) => { n++; if (event === 1) for (;;); if (event === 2) for (const all = []; ; ) all.push({}, []); return n; };`;
      const keep = "session";
      expect(await value(source, { keep, args: ["0"] })).toBe(1);
      expect(await value(source, { keep, args: ["0"] })).toBe(2);
      for (const event of ["1", "2"]) {
        expect(["timeout", "steps-exceeded", "memory-exceeded"]).toContain(
          await fault(source, { keep, args: [event], limits: { wallMs: 300 } }),
        );
        expect(await value(source, { keep, args: ["0"] })).toBe(1);
      }
    },
  );

  own("keeps no call's garbage in a kept context", { pristine: false }, async ({ value }) => {
    const source =
      "let n = 0; export default (event) => { n += event.length; return 'x'.repeat(20_000).length; };";
    const args = [JSON.stringify("y".repeat(20_000))];
    // 2,000 calls with 20 KB in and out would not fit into 8 MiB.
    for (let i = 0; i < 2_000; i++) expect(await value(source, { keep: "session", args })).toBe(20_000);
  });

  own("ends when it is disposed, and more than once", {}, async ({ sandbox, value }) => {
    expect(await value("export default () => 1;")).toBe(1);
    await sandbox[Symbol.asyncDispose]();
    await sandbox[Symbol.asyncDispose]();
  });
}
