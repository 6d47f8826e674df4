import { expect } from "vitest";
import type { Part } from "./harness.ts";

/** What a guest finds around it: time, chance, locale, console; and no code from strings. */
export function world({ test, own }: Part): void {
  test("stops the clock at the time of the call", async ({ value }) => {
    const source = `
      const atLoad = Date.now();
      export default () => {
        const before = Date.now();
        for (let i = 0; i < 1e5; i++);
        return [atLoad, before, Date.now(), new Date().getTime(), +new Date(), Date(), new Date(5).getTime(), new Date(2020, 0).toISOString()];
      };`;
    for (const time of [0, 1_600_000_000_123, 253_402_300_799_999]) {
      const text = `${new Date(time).toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, "$1 $3 $2 $4 $5 GMT+0000")}`;
      expect(await value(source, { time })).toEqual([
        0,
        time,
        time,
        time,
        time,
        text,
        5,
        "2020-01-01T00:00:00.000Z",
      ]);
    }
  });

  own("lives in UTC, wherever the host is", { zone: "Asia/Kolkata" }, async ({ value }) => {
    expect(
      await value(`export default () => {
          const date = new Date(2021, 6, 15, 13, 30);
          return [date.getTimezoneOffset(), date.toISOString(), date.getHours(), String(date), date.toTimeString(), date.toDateString(),
            new Date("2021-07-15T13:30").getTime() === date.getTime(), Date.parse("Thu Jul 15 2021 13:30:00") === date.getTime(),
            new Date(-1).getFullYear(), new Date(8.64e15).getDate(), new Date(-8.64e15).toISOString(), String(new Date(NaN))];
        };`),
    ).toEqual([
      0,
      "2021-07-15T13:30:00.000Z",
      13,
      "Thu Jul 15 2021 13:30:00 GMT+0000",
      "13:30:00 GMT+0000",
      "Thu Jul 15 2021",
      true,
      true,
      1969,
      13,
      "-271821-04-20T00:00:00.000Z",
      "Invalid Date",
    ]);
  });

  test("keeps the Date constructor as it was otherwise", async ({ value }) => {
    expect(
      await value(`
        class Own extends Date { twice() { return this.getTime() * 2; } }
        export default () => [Date.length, Date.name, new Own(4).twice(), new Own() instanceof Date, new Date() instanceof Own,
          Date.UTC(2020, 0), Date.parse("2020-01-01"), new Date(2020, 0, 1, 0, 0, 0, 7).getMilliseconds(), new Date(new Date(9)).getTime(),
          Date.prototype.constructor === Date, Object.prototype.toString.call(new Date()), typeof Date(), JSON.stringify({ d: new Date(0) })];`),
    ).toEqual([
      7,
      "Date",
      8,
      true,
      false,
      1_577_836_800_000,
      1_577_836_800_000,
      7,
      9,
      true,
      "[object Date]",
      "string",
      '{"d":"1970-01-01T00:00:00.000Z"}',
    ]);
  });

  test("gives the random numbers of the seed", async ({ value }) => {
    const source = "export default () => [Math.random(), Math.random(), Math.random(), Math.random()];";
    const seed = [1, 2, 3, 4_294_967_295] as const;
    const first = await value(source, { seed });
    // Pinned: every engine and every machine gives these.
    expect(first).toEqual(RANDOM);
    expect(await value(source, { seed })).toEqual(first);
    expect(await value(source, { seed: [1, 2, 3, 5] })).not.toEqual(first);
    const many = (await value(
      "export default () => Array.from({ length: 10_000 }, () => Math.random());",
    )) as number[];
    expect(many.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(many.reduce((sum, number) => sum + number, 0) / many.length).toBeCloseTo(0.5, 1);
    expect(new Set(many).size).toBeGreaterThan(9_990);
  });

  test("has no locale", async ({ value }) => {
    expect(
      await value(`export default () => [
        ["ä", "z", "a", "Z", "é"].sort((a, b) => a.localeCompare(b, "de")),
        "I".toLocaleLowerCase("tr"), "i".toLocaleUpperCase("tr"), (1234567.891).toLocaleString("de"), (12n ** 20n).toLocaleString(),
        new Date(0).toLocaleString("en-US"), new Date(0).toLocaleDateString(), new Date(0).toLocaleTimeString(),
        [1.5, new Date(0)].toLocaleString(), "a".localeCompare("b"), "b".localeCompare("a"), "a".localeCompare("a"), typeof Intl,
      ];`),
    ).toEqual([
      ["Z", "a", "z", "ä", "é"],
      "i",
      "I",
      "1234567.891",
      "3833759992447475122176",
      "1970-01-01T00:00:00.000Z",
      "1970-01-01",
      "00:00:00",
      "1.5,1970-01-01T00:00:00.000Z",
      -1,
      1,
      0,
      "undefined",
    ]);
  });

  test("keeps what is written to the console", async ({ call }) => {
    const source = `export default () => {
      console.log("text", 1, true, null, undefined, 10n, Symbol("s"));
      console.debug({ a: [1] }, [2]);
      console.info(new Error("shown"), () => 1, class {});
      console.warn();
      console.error("two\\nlines", "\\u0000");
      console.log({ toJSON() { throw 1; } }, { get a() { throw 1; } }, new Proxy({}, { get() { throw 1; } }));
      console.log({ toJSON() { console.log("nested"); return 1; } });
      throw 1;
    };`;
    const outcome = await call(source);
    expect(outcome.ok).toBe(false);
    expect(outcome.logs).toEqual([
      { level: "log", text: "text 1 true null undefined 10 Symbol(s)" },
      { level: "debug", text: '{"a":[1]} [2]' },
      { level: "info", text: "Error: shown [function] [function]" },
      { level: "warn", text: "" },
      { level: "error", text: "two\nlines \0" },
      { level: "log", text: "[object] [object] [object]" },
      { level: "log", text: "nested" },
      { level: "log", text: "1" },
    ]);
  });

  test("caps the console", async ({ call }) => {
    const bytes = (logs: readonly { readonly text: string }[]): number =>
      logs.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    for (const [write, logBytes] of [
      ["for (let i = 0; i < 1000; i++) console.log('line ' + i);", 256],
      ["console.log('x'.repeat(1e5)); console.log('more'); console.log('more');", 256],
      ["console.log('€'.repeat(1e4)); console.log('€'.repeat(1e4));", 1_000],
      ["console.log({ a: 'x'.repeat(1e5) });", 100],
      ["for (let i = 0; i < 50; i++) console.log();", 10],
      ["console.log('dropped'); console.log('dropped');", 0],
    ] as const) {
      const outcome = await call(`export default () => { ${write} return 1; };`, { limits: { logBytes } });
      expect(outcome.ok, write).toBe(true);
      // What the host adds says how much is missing, and is not the guest's.
      const written = outcome.logs.filter(({ text }) => !/^dropped \d+ lines$/.test(text));
      expect(bytes(written), write).toBeLessThanOrEqual(logBytes);
      expect(outcome.logs.length, write).toBeLessThan(110);
    }
    const two = await call("export default () => { for (let i = 0; i < 5; i++) console.log('x'); };", {
      limits: { logBytes: 4 },
    });
    expect(two.logs.at(-1)?.text).toBe("dropped 3 lines");
  });

  test("makes no code from strings, by whatever constructor", async ({ value }) => {
    const reached = await value(`
      const kinds = [function () {}, async function () {}, function* () {}, async function* () {}, () => {}, class {}, async () => {}, { m() {} }.m];
      const tries = {
        eval: () => eval("1"),
        indirect: () => (0, eval)("1"),
        Function: () => Function("return 1")(),
        construct: () => Reflect.construct(Function, ["return 1"])(),
        newTarget: () => Reflect.construct(Function, ["return 1"], class extends Function {})(),
        species: () => class extends Function {}.prototype.constructor("return 1")(),
        bound: () => Function.bind(null, "return 1")()(),
        number: () => (1).constructor.constructor("return 1")(),
        symbol: () => Symbol.constructor("return 1")(),
        prototype: () => Object.getPrototypeOf(Function).constructor("return 1")(),
        event: (event) => event.constructor.constructor("return 1")(),
        error: () => { try { null.x; } catch (error) { return error.constructor.constructor("return 1")(); } },
        console: () => console.log.constructor("return 1")(),
        native: () => [].map.constructor("return 1")(),
        date: () => Date.constructor("return 1")(),
        promise: () => Promise.resolve().then.constructor("return 1")(),
        getter: () => Object.getOwnPropertyDescriptor(RegExp.prototype, "flags").get.constructor("return 1")(),
        extended: () => new (class extends Function { constructor() { super("return 1"); } })()(),
      };
      for (const kind of kinds) {
        tries["own " + kind] = () => kind.constructor("return 1")();
        tries["chain " + kind] = () => Object.getPrototypeOf(kind).constructor("yield 1")();
      }
      export default (event) => Object.entries(tries).filter(([, attempt]) => {
        try { attempt(event); return true; } catch (error) { return !(error instanceof TypeError); }
      }).map(([name]) => name);`);
    expect(reached).toEqual([]);
  });

  test("imports nothing at run time", async ({ value }) => {
    expect(
      await value(`export default async () => {
        const failed = [];
        for (const name of ["fs", "node:fs", "./hook.js", "hook.js", "data:text/javascript,export default 1", "https://example.org/a.js", "", "guard", "program", "hookwarden"]) {
          await import(name).then(() => failed.push(name), (error) => { if (!(error instanceof Error)) failed.push(name + " threw no error"); });
        }
        return failed;
      };`),
    ).toEqual([]);
  });

  test("shows nothing of the machinery", async ({ value }) => {
    expect(
      await value(`export default function () {
        const odd = [];
        for (const key of Reflect.ownKeys(globalThis)) if (/hookwarden|prelude|bridge|guard|permits/i.test(String(key))) odd.push(String(key));
        for (const fn of [Date, eval, Function, console.log, Math.random, "".localeCompare, Symbol.for, ArrayBuffer, Symbol, Date.now, Function.prototype.toString])
          if (!/^function [\\w ]*\\(\\) \\{\\s*\\[native code\\]\\s*\\}$/.test(Function.prototype.toString.call(fn))) odd.push(String(fn));
        try { odd.push(arguments.callee); } catch {}
        return odd;
      }`),
    ).toEqual([]);
  });
}

const RANDOM = [0.7307567198295146, 0.8707849353086203, 0.09607904218137264, 0.2718474001158029];
