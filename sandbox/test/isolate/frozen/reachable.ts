/**
 * Guest code: `reachable()` returns a map of every object that a program can get hold of without a call of another one,
 * with a path for people. From the names of the global object, from what syntax and built-in functions create, and from
 * there through every property, accessor and prototype.
 */
export const reachableSource = String.raw`
const thrownBy = (run) => { try { run(); } catch (error) { return error; } };
const samples = () => ({
  function: function () {}, arrow: () => 0, method: { m() {} }.m, generator: function* () {}, asyncGenerator: async function* () {},
  async: async () => 0, iterator: (function* () {})(), asyncIterator: (async function* () {})(), promise: (async () => 1)(),
  class: class { static #x = 1; static {} }, derived: class extends Array {}, array: [], object: {}, regexp: /x/g,
  template: ((strings) => strings)${"`a${1}b`"}, raw: ((strings) => strings.raw)${"`c`"}, arguments: (function () { return arguments; })(),
  callee: Object.getOwnPropertyDescriptor((function () { return arguments; })(), "callee"), error: new Error("x"), aggregate: new AggregateError([new Error("y")]),
  cause: new Error("x", { cause: {} }), typeError: thrownBy(() => null.x), referenceError: thrownBy(() => missing), rangeError: thrownBy(() => new Array(-1)),
  overflow: thrownBy(() => { const f = () => f() + 1; f(); }), syntaxError: thrownBy(() => new RegExp("(")), jsonError: thrownBy(() => JSON.parse("{")),
  uriError: thrownBy(() => decodeURI("%")), evalError: thrownBy(() => eval("1")), functionError: thrownBy(() => new Function("1")), tooLong: thrownBy(() => "ab".repeat(2 ** 30)),
  constAssignment: thrownBy(() => { const c = 1; c = 2; }), frozenWrite: thrownBy(() => { Object.freeze([]).push(1); }), deadZone: thrownBy(() => { x; let x; }),
  stack: Object.getOwnPropertyDescriptor(new Error("x"), "stack"), resolvers: Promise.withResolvers(), revocable: Proxy.revocable({}, {}), proxy: new Proxy({}, {}),
  tried: Promise.try(() => 1), fromAsync: Array.fromAsync([]), imported: import("x").catch(() => 0), arrayIterator: [].values(), stringIterator: ""[Symbol.iterator](),
  mapIterator: new Map().entries(), setIterator: new Set().values(), matches: "a".matchAll(/a/g), helper: [].values().map((x) => x), flat: [].values().flatMap((x) => [x]),
  wrapped: Iterator.from({ next() { return { done: true }; } }), bytes: new Uint8Array(1), half: new Float16Array(1), buffer: new ArrayBuffer(8), view: new DataView(new ArrayBuffer(8)),
  match: /(?<n>b)/d.exec("abc"), indices: /(?<n>b)/d.exec("abc").indices, date: new Date(0), map: new Map(), set: new Set(), weakMap: new WeakMap(), weakSet: new WeakSet(),
  number: Object(1), string: Object("s"), symbol: Object(Symbol()), bigint: Object(1n), boolean: Object(true), bound: (() => 0).bind(), grouped: Object.groupBy([1], (x) => x),
  groupedMap: Map.groupBy([1], (x) => x), descriptor: Object.getOwnPropertyDescriptor({ a: 1 }, "a"), meta: import.meta, json: JSON.parse("[{}]"), union: new Set().union(new Set()),
  result: [].values().next(), generated: (function* () { yield 1; })().next(), species: [1].map((x) => x), buffered: new ArrayBuffer(8).slice(1),
});
function reachable() {
  const found = new Map();
  const queue = [];
  const add = (value, path) => {
    if (((typeof value === "object" && value !== null) || typeof value === "function") && !found.has(value)) { found.set(value, path); queue.push(value); }
  };
  const made = samples();
  for (const name of Object.keys(made)) add(made[name], "%" + name);
  add(globalThis, "globalThis");
  for (const key of Reflect.ownKeys(Object.getPrototypeOf(globalThis))) add(globalThis[key], String(key));
  for (let at = 0; at < queue.length; at++) {
    const object = queue[at], path = found.get(object);
    add(Object.getPrototypeOf(object), path + ".__proto__");
    for (const key of Reflect.ownKeys(object)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
      const name = path + "." + String(key);
      add(value, name); add(get, name + " (get)"); add(set, name + " (set)");
      if (get) add(thrownBy(() => { add(Reflect.apply(get, object, []), name + "()"); }), name + " (thrown)");
    }
  }
  return found;
}
`;
