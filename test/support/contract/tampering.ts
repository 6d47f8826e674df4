import { expect } from "vitest";
import type { Part } from "./harness.ts";

/** What a hook may do to its own world. None of it may reach the prelude, which shares that world. */
const attacks: Readonly<Record<string, string>> = {
  "JSON.stringify": "JSON.stringify = () => '\"stolen\"'",
  "JSON.parse": "JSON.parse = () => 'stolen'",
  JSON: "globalThis.JSON = {}",
  "Promise.prototype.then": "Promise.prototype.then = function () { stolen(); }",
  "Promise.prototype.constructor": "Promise.prototype.constructor = class { constructor() { stolen(); } }",
  "Promise species": "Object.defineProperty(Promise, Symbol.species, { get() { stolen(); } })",
  Promise: "globalThis.Promise = class { constructor() { stolen(); } }",
  "Promise.reject": "Promise.reject = Promise.resolve = () => stolen()",
  "Array iteration": "Array.prototype[Symbol.iterator] = function () { stolen(); }",
  "array iterators": "Object.getPrototypeOf([].values()).next = () => ({ done: true })",
  "Array.prototype.push":
    "Array.prototype.push = Array.prototype.map = Array.prototype.join = Array.prototype.slice = () => stolen()",
  "Array.isArray": "Array.isArray = () => stolen()",
  "descriptors through Object.prototype":
    "for (const key of ['get', 'set', 'writable', 'enumerable', 'configurable']) Object.prototype[key] = key === 'get' || key === 'set' ? undefined : false",
  "value through Object.prototype": "Object.prototype.value = 'stolen'",
  "names of the prelude through Object.prototype":
    "for (const key of ['object', 'outer', 'depth', 'constructor2', 'level', 'text', 'default2', 'message2']) Object.defineProperty(Object.prototype, key, { set() { stolen(); }, get() { stolen(); }, configurable: true })",
  "Object.defineProperty":
    "Object.defineProperty = Object.getOwnPropertyDescriptor = Object.keys = Object.getPrototypeOf = () => stolen()",
  Reflect: "for (const key of Object.getOwnPropertyNames(Reflect)) Reflect[key] = () => stolen()",
  "Function.prototype.call":
    "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => stolen()",
  "Function.prototype.toString": "Function.prototype.toString = () => stolen()",
  "String.prototype":
    "for (const key of Reflect.ownKeys(String.prototype)) if (key !== 'length' && key !== 'constructor') String.prototype[key] = () => stolen()",
  "String.prototype.concat": "String.prototype.concat = () => stolen()",
  String: "globalThis.String = () => stolen()",
  "Number.prototype": "Number.prototype.toString = Number.prototype.valueOf = () => stolen()",
  "Symbol.toPrimitive":
    "for (const type of [String, Number, Boolean]) Object.defineProperty(type.prototype, Symbol.toPrimitive, { get() { stolen(); } })",
  "WeakSet and Map":
    "for (const type of [WeakSet, WeakMap, Map, Set]) for (const key of ['has', 'add', 'get', 'set']) if (key in type.prototype) type.prototype[key] = () => stolen()",
  "Error.prototype":
    "Object.defineProperty(Error.prototype, 'message', { get() { stolen(); } }); Error.prototype.toString = () => stolen()",
  TypeError:
    "globalThis.TypeError = globalThis.RangeError = globalThis.Error = class { constructor() { stolen(); } }",
  "frozen world":
    "Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(globalThis)",
  "no prototype of objects":
    "for (const key of Object.getOwnPropertyNames(Object.prototype)) Reflect.deleteProperty(Object.prototype, key)",
  "no globals":
    "const world = globalThis; const { deleteProperty } = Reflect; for (const key of Object.getOwnPropertyNames(world)) deleteProperty(world, key)",
  console: "globalThis.console = undefined",
  Date: "globalThis.Date = undefined; Math.random = () => stolen()",
  "getters on the global object":
    "for (const key of ['process', 'require', 'module', 'hookwarden', 'Promise2']) Object.defineProperty(globalThis, key, { get() { stolen(); }, configurable: true })",
  prepareStackTrace: "Error.prepareStackTrace = () => stolen(); Error.stackTraceLimit = Infinity",
};

/** An attack that a realm with frozen built-in objects may refuse. */
const tried = (attack: string): string =>
  `try { ${attack}; } catch (error) { if (!/^TypeError/.test(error)) throw error; }`;

const expected = { action: "deny", list: [1, { two: "2" }], event: "Bash" };
const answer = `({ action: "deny", list: [1, { two: "2" }], event: event.tool_name })`;

/** A hook that tampers with its world deceives only itself. */
export function tampering({ test }: Part): void {
  test("reads the true answer of a hook that tampers while it is called", async ({ value }) => {
    for (const [name, attack] of Object.entries(attacks)) {
      const body = `const stolen = () => { throw new Error("reached"); }; ${tried(attack)}`;
      expect(await value(`export default (event) => { ${body} return ${answer}; };`), name).toEqual(expected);
      expect(
        await value(`export default async (event) => { ${body} return ${answer}; };`),
        `${name}, async`,
      ).toEqual(expected);
    }
  });

  test("reads the true answer of a hook that tampers while it is loaded", async ({ value }) => {
    for (const [name, attack] of Object.entries(attacks)) {
      const head = `const stolen = () => { throw new Error("reached"); }; ${tried(attack)}`;
      expect(await value(`${head} export default (event) => ${answer};`), name).toEqual(expected);
      expect(await value(`${head} export default async (event) => ${answer};`), `${name}, async`).toEqual(
        expected,
      );
      expect(
        await value(`${head} export default { PreToolUse: (event) => ${answer} };`),
        `${name}, object`,
      ).toEqual(expected);
    }
  });

  test("keeps the log and the errors of a hook that tampers", async ({ call }) => {
    for (const [name, attack] of Object.entries(attacks)) {
      const body = `const stolen = () => { throw new Error("reached"); }; const { log } = console; const thrown = new Error("thrown"); ${tried(attack)}`;
      const outcome = await call(`export default () => { ${body} log("written", 1); throw thrown; };`);
      expect(outcome, name).toMatchObject({
        ok: false,
        logs: [{ level: "log", text: "written 1" }],
        fault: { code: "threw", message: "Error: thrown" },
      });
    }
  });

  test("gives the true answer or none where indices of prototypes have accessors", async ({ call }) => {
    // QuickJS's own writer of JSON keeps a list that sees them. The hook gets to know its own values, and falls.
    for (const type of ["Array", "Object"]) {
      for (const body of ["stolen()", "return 1", ""]) {
        const attack = `for (let i = 0; i < 10; i++) Object.defineProperty(${type}.prototype, i, { set() { ${body} }, get() { ${body} }, configurable: true })`;
        const source = `const stolen = () => { throw new Error("reached"); }; export default (event) => { console.log("a", "b"); ${attack}; return ${answer}; };`;
        const outcome = await call(source);
        expect([JSON.stringify(expected), "threw"]).toContain(
          outcome.ok ? outcome.output : outcome.fault.code,
        );
      }
    }
  });

  test("takes prototypes that claim to have an answer at their word, as the language does", async ({
    value,
    fault,
  }) => {
    // `await` asks every object for `then`, and `JSON.stringify` for `toJSON`: the guest's own prototypes may answer.
    expect(await value("export default () => { Object.prototype.toJSON = () => 'mine'; return {}; };")).toBe(
      "mine",
    );
    expect(
      await value("export default () => { Object.prototype.then = (done) => done('mine'); return {}; };"),
    ).toBe("mine");
    expect(await fault("export default () => { Object.prototype.then = () => {}; return {}; };")).toBe(
      "timeout",
    );
  });
}
