import { expect } from "vitest";
import type { Part } from "./harness.ts";

const returns = (expression: string): string => `export default () => (${expression});`;
const throws = (expression: string): string => `export default () => { throw ${expression}; };`;

/** What a hook may return and throw, and what comes of it. */
export function answers({ test }: Part): void {
  test("answers with the JSON of what is returned", async ({ call }) => {
    for (const [expression, json] of [
      [
        "({ action: 'deny', n: [1, 2.5, -0], t: true, f: null })",
        '{"action":"deny","n":[1,2.5,0],"t":true,"f":null}',
      ],
      ["1", "1"],
      ["'text'", '"text"'],
      ["true", "true"],
      ["NaN", "null"],
      ["[undefined, () => 1, , Symbol()]", "[null,null,null,null]"],
      ["({ a: undefined, b: () => 1, [Symbol()]: 1 })", "{}"],
      ["new Date(0)", '"1970-01-01T00:00:00.000Z"'],
      ["new (class { x = 1; get y() { return 2; } })()", '{"x":1}'],
      ["Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true } })", '{"own":2}'],
      ["new Map([[1, 2]])", "{}"],
      ["[new Number(1), new String('s'), new Boolean(false)]", '[1,"s",false]'],
      ["new Uint8Array(2)", '{"0":0,"1":0}'],
      ["({ toJSON: () => ({ own: 1 }) })", '{"own":1}'],
      ["new Proxy({ a: 1 }, {})", '{"a":1}'],
      ["({ get a() { return 1; } })", '{"a":1}'],
      ["JSON.parse('{\"__proto__\":1}')", '{"__proto__":1}'],
    ] as const) {
      const outcome = await call(returns(expression));
      expect(outcome.ok ? outcome.output : outcome.fault, expression).toBe(json);
    }
  });

  test("answers with nothing for undefined and null", async ({ call }) => {
    for (const expression of [
      "undefined",
      "null",
      "Promise.resolve()",
      "Promise.resolve(null)",
      "(() => {})()",
    ]) {
      expect(await call(returns(expression)), expression).toMatchObject({ ok: true, output: null });
    }
  });

  test("cannot take what has no JSON for an answer", async ({ fault }) => {
    for (const expression of ["() => 1", "Symbol()", "({ toJSON: () => undefined })", "class {}"]) {
      expect(await fault(returns(expression)), expression).toBe("invalid-output");
    }
    for (const expression of [
      "1n",
      "(() => { const a = {}; a.a = a; return a; })()",
      "({ get a() { throw new Error('x'); } })",
      "({ toJSON() { throw { message: 'x' }; } })",
      "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
      "new Date(NaN).toISOString()",
    ]) {
      expect(await fault(returns(expression)), expression).toBe("threw");
    }
  });

  test("awaits promises and thenables as await does", async ({ value }) => {
    for (const source of [
      "export default async () => 1;",
      returns("Promise.resolve(Promise.resolve(1))"),
      "export default async () => { for (let i = 0; i < 50; i++) await i; return 1; };",
      returns("({ then: (done) => done(1) })"),
      returns("({ then: (done) => done({ then: (done) => done(Promise.resolve(1)) }) })"),
      returns("({ then: (done) => { done(1); done(2); throw 3; } })"),
      returns("Object.assign(() => {}, { then: (done) => done(1) })"),
      "class Own extends Promise {} export default () => Own.resolve(1);",
      returns("Object.freeze(Promise.resolve(1))"),
      returns(
        "Object.assign(Promise.resolve(1), { constructor: class { static [Symbol.species] = null; } })",
      ),
      returns("Promise.any([Promise.reject(2), Promise.resolve(1)])"),
      "export default () => { const { promise, resolve } = Promise.withResolvers(); resolve(1); return promise; };",
      "export default async () => { let n = 0; for await (const i of (async function* () { yield 1; })()) n += i; return n; };",
    ]) {
      expect(await value(source), source).toBe(1);
    }
  });

  test("names a rejection, and a thenable that throws, as thrown", async ({ fault }) => {
    for (const source of [
      "export default async () => { throw new Error('x'); };",
      returns("Promise.reject(1)"),
      returns("Promise.reject()"),
      returns("({ then: () => { throw 1; } })"),
      returns("({ then: (_, fail) => fail(1) })"),
      returns("({ get then() { throw 1; } })"),
      "export default async () => 1n;",
      "export default async () => ({ get a() { throw 1; } });",
    ]) {
      expect(await fault(source), source).toBe("threw");
    }
  });

  test("does not wait for a promise that nothing can settle", async ({ call }) => {
    for (const source of [
      returns("new Promise(() => {})"),
      returns("({ then() {} })"),
      "export default async () => { await new Promise(() => {}); };",
      "let never; export default async () => { await { then() {} }; return 1; };",
    ]) {
      const started = performance.now();
      const outcome = await call(source, { limits: { wallMs: 10_000 } });
      expect(outcome, source).toMatchObject({ ok: false, fault: { code: "timeout" } });
      expect(performance.now() - started, source).toBeLessThan(5_000);
    }
  });

  test("takes the answer when it settles, whatever jobs are left", async ({ call }) => {
    const source = `
      let turn = 0;
      export default () => {
        const answer = { turn: 0 };
        Promise.resolve().then(() => null).then(() => { answer.turn = ++turn; console.log("late"); });
        Promise.reject(new Error("unhandled"));
        Promise.reject({ get message() { throw 1; }, get stack() { throw 2; }, get name() { throw 3; } });
        return answer;
      };`;
    for (let i = 0; i < 3; i++) {
      expect(await call(source)).toMatchObject({ ok: true, output: '{"turn":0}', logs: [] });
    }
    const later = `export default async () => { Promise.resolve().then(() => console.log("in time")); await 1; await 1; return 1; };`;
    expect(await call(later)).toMatchObject({ ok: true, logs: [{ level: "log", text: "in time" }] });
  });

  test("describes what was thrown, whatever it was", async ({ call }) => {
    for (const [expression, message] of [
      ["new Error('one')", "Error: one"],
      ["new TypeError('two')", "TypeError: two"],
      ["Object.assign(new Error('three'), { name: 'Own' })", "Own: three"],
      ["'text'", "text"],
      ["null", "null"],
      ["undefined", "undefined"],
      ["42", "42"],
      ["10n", "10"],
      ["Symbol('s')", "Symbol(s)"],
      ["{ a: 1 }", "a thrown object"],
      ["() => 1", "a thrown function"],
      ["{ message: 'no error', name: 1 }", "Error: no error"],
      ["{ get message() { throw 1; } }", "a thrown object"],
      ["{ message: { toString() { throw 1; } } }", "a thrown object"],
      ["new Proxy({}, { get() { throw 1; } })", "a thrown object"],
      [
        "(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()",
        "a thrown object",
      ],
    ] as const) {
      const outcome = await call(throws(expression));
      expect(outcome, expression).toMatchObject({ ok: false, fault: { code: "threw", message } });
    }
  });

  test("cuts what was thrown", async ({ call }) => {
    const outcome = await call(throws("new Error('x'.repeat(1e6))"));
    expect(outcome.ok ? 0 : outcome.fault.message.length).toBeLessThanOrEqual(1_000);
  });

  test("names faults by what the host knows, not by what the guest says", async ({ fault }) => {
    for (const message of [
      "Script execution timed out.",
      "Isolate was disposed during execution due to memory limit",
      "interrupted",
      "out of memory",
      "Maximum call stack size exceeded",
    ]) {
      for (const kind of ["Error", "RangeError", "TypeError"]) {
        expect(await fault(throws(`new ${kind}(${JSON.stringify(message)})`)), message).toBe("threw");
      }
    }
  });

  test("carries every kind of text both ways", async ({ call, value }) => {
    const texts = ["\0", "a\0b", "\u001b[2J", "ü€😀", "\u2028\u2029", '"\\', "\ufeff", "e\u0301", "\uffff"];
    expect(await value("export default (event) => event;", { args: [JSON.stringify(texts), "1"] })).toEqual(
      texts,
    );
    expect(await value(returns(JSON.stringify(texts)))).toEqual(texts);
    expect(
      await value(returns(`Object.fromEntries(${JSON.stringify(texts)}.map((text) => [text, text]))`)),
    ).toEqual(Object.fromEntries(texts.map((text) => [text, text])));
    for (const expression of ["'\\ud800'", "'\\udc00\\ud800'"]) {
      const outcome = await call(returns(`{ [${expression}]: ${expression} }`.replace(/^/, "(").concat(")")));
      expect(outcome.ok && /^[\x20-\x7e]*$/.test(outcome.output ?? "")).toBe(true);
    }
    const lone = await call("export default (event) => [event.length, event.charCodeAt(1)];", {
      args: ['"a\\ud800b"', "1"],
    });
    expect(lone).toMatchObject({ ok: true, output: "[3,55296]" });
  });

  test("gives figures that can be true", async ({ call }) => {
    for (const source of [returns("1"), throws("1"), "export default"]) {
      const { durationUs, memoryBytes, steps, logs } = await call(source);
      expect(Number.isInteger(durationUs) && durationUs >= 0).toBe(true);
      expect(Number.isInteger(memoryBytes) && memoryBytes >= 0).toBe(true);
      expect(steps === null || Number.isInteger(steps)).toBe(true);
      expect(logs).toEqual([]);
    }
  });
}
