import { allowedGlobalNames, refusedGlobals } from "../../../src/guest/globals.ts";
import { reachableSource } from "./reachable.ts";

/** A program that tries to leave something for its next call, or for another program's. */
export interface Attempt {
  readonly name: string;
  /** The program. Called with `{ phase: "write", secret }` it leaves the secret; with `{ phase: "read" }` it looks for it. */
  readonly source: string;
  /** The writing call ends by the clock. */
  readonly endless?: true;
}

export const attempts: Attempt[] = [];

/** Adds a program with two bodies: one has `secret`, the other answers with what it finds. */
function attempt(name: string, write: string, read: string, setup: string = ""): void {
  const source = `${setup}
    export default (event, context) => {
      const { secret, phase } = event;
      if (phase === "write") { try { ${write} } catch (error) { return "refused: " + String(error).slice(0, 200); } return "written"; }
      try { ${read} } catch (error) { return "error: " + String(error).slice(0, 200); }
    };`;
  attempts.push({ name, source });
}

/** Adds whole programs, for what a function's body cannot hold. */
function program(name: string, source: string, endless?: true): void {
  attempts.push({ name, source, ...(endless && { endless }) });
}

// ---- names: rebinding, properties, prototypes, deletion ------------------------------------------------------------

for (const name of allowedGlobalNames) {
  if (["globalThis", "undefined", "NaN", "Infinity"].includes(name)) continue;
  attempt(
    `rebinds ${name} and sets a property of it and of its prototype`,
    `const old = ${name};
     for (const step of [() => { ${name}.leak = secret; }, () => { Object.defineProperty(${name}, "leak", { value: secret }); }, () => { ${name}.prototype.leak = secret; },
       () => { globalThis.${name} = Object.assign(function (...a) { return Reflect.apply(old, this, a); }, { leak: secret }); }, () => { delete globalThis.${name}; },
       () => { ${name} = Object.assign(function (...a) { return Reflect.apply(old, this, a); }, { leak: secret }); }]) try { step(); } catch {}`,
    `return [${name}.leak, ${name}.prototype?.leak, globalThis.${name}.leak, typeof ${name}].map(String).join();`,
  );
}
for (const name of refusedGlobals.flatMap(({ names }) => names)) {
  attempt(
    `looks for ${name}, which would outlive the call`,
    `if (typeof ${name} !== "undefined") ${name}.leak = secret; globalThis.${name} = { leak: secret };`,
    `return typeof ${name} === "undefined" ? typeof globalThis.${name} : ${name}.leak;`,
  );
}
for (const name of [
  "run",
  "factory",
  "view",
  "bridge",
  "hookwarden",
  "programs",
  "reply",
  "world",
  "prelude",
  "exports",
  "module",
  "require",
  "process",
  "self",
  "window",
  "global",
]) {
  attempt(
    `looks for a name of the host: ${name}`,
    `if (typeof ${name} === "undefined") throw new Error("not there"); ${name}.leak = secret;`,
    `return typeof ${name} === "undefined" ? "nothing" : String(${name}.leak);`,
  );
}
attempt("assigns an undeclared name", "leaked = secret;", "return typeof leaked;");
attempt("assigns undefined", "undefined = secret;", "return String(undefined);");
attempt("destructures into a global name", "[escape] = [secret];", "return typeof escape;");
attempt("uses a global name as a loop variable", "for (unescape of [secret]);", "return typeof unescape;");
attempt("assigns a global name logically", "Infinity &&= secret;", "return String(Infinity);");
attempt("updates a global name", "isNaN++;", "return typeof isNaN;");
attempt(
  "declares a class over a global name in a block",
  "{ class Map { static leak = secret; } globalThis.M = Map; }",
  "return [Map.leak, typeof globalThis.M].map(String).join();",
);
attempt(
  "assigns a global name in a catch clause",
  "try { throw secret; } catch (e) { isFinite = e; }",
  "return typeof isFinite;",
);

// ---- everything that can be reached ---------------------------------------------------------------------------------

attempt(
  "sets, defines and deletes properties of everything",
  `for (const [object] of reachable()) { if (object === event || object === context) continue;
     try { object.leak = secret; } catch {} try { Object.defineProperty(object, "leak2", { value: secret, configurable: true }); } catch {}
     for (const key of Reflect.ownKeys(object)) try { if (key !== "length") Reflect.deleteProperty(object, key); } catch {} }`,
  `const hits = []; for (const [object, path] of reachable()) for (const key of ["leak", "leak2"]) if (Object.hasOwn(object, key)) hits.push(path); return [hits, reachable().size];`,
  reachableSource,
);
attempt(
  "replaces every value by one that carries the secret",
  `for (const [object] of reachable()) for (const key of Reflect.ownKeys(object)) { const { value } = Reflect.getOwnPropertyDescriptor(object, key);
     const next = typeof value === "function" ? Object.assign(() => secret, { leak: secret }) : secret; try { object[key] = next; } catch {} try { Object.defineProperty(object, key, { value: next }); } catch {} }`,
  `const hits = []; for (const [object, path] of reachable()) if (typeof object === "function" && Object.hasOwn(object, "leak")) hits.push(path); return hits;`,
  reachableSource,
);
attempt(
  "calls every setter on everything",
  `const all = [...reachable().keys()]; const setters = new Set(); for (const object of all) for (const key of Reflect.ownKeys(object)) { const { set } = Reflect.getOwnPropertyDescriptor(object, key); if (set) setters.add(set); }
   for (const set of setters) for (const object of all) try { Reflect.apply(set, object, [secret]); } catch {}`,
  `const hits = []; for (const [object, path] of reachable()) for (const key of Reflect.ownKeys(object)) { const { value } = Reflect.getOwnPropertyDescriptor(object, key); if (value === "alpha" || value === "omega") hits.push(path); } return hits;`,
  reachableSource,
);
attempt(
  "freezes or changes the prototype of everything",
  `for (const [object] of reachable()) try { if (secret === "alpha") Object.freeze(object); else Object.setPrototypeOf(object, { leak: secret }); } catch {}`,
  `let frozen = 0, extensible = 0; const hits = []; for (const [object, path] of reachable()) { if (Object.isFrozen(object)) frozen++; if (Object.isExtensible(object)) extensible++; if (object.leak !== undefined) hits.push(path); } return [frozen, extensible, hits];`,
  reachableSource,
);
attempt(
  "keeps something in the hidden state of everything",
  `for (const [object] of reachable()) for (const step of [() => Array.prototype.push.call(object, secret), () => Map.prototype.set.call(object, "k", secret), () => Set.prototype.add.call(object, secret),
     () => WeakMap.prototype.set.call(object, Array, secret), () => WeakSet.prototype.add.call(object, Array), () => Date.prototype.setTime.call(object, secret === "alpha" ? 1 : 2),
     () => Uint8Array.prototype.fill.call(object, secret === "alpha" ? 1 : 2), () => DataView.prototype.setInt8.call(object, 0, secret === "alpha" ? 1 : 2), () => RegExp.prototype.exec.call(object, secret),
     () => { object.lastIndex = secret.length; }, () => { object.length = 7; }, () => object.next?.(secret)]) try { step(); } catch {}`,
  `const hits = []; for (const [object, path] of reachable()) for (const step of [() => Map.prototype.get.call(object, "k"), () => Set.prototype.has.call(object, "alpha") || undefined, () => WeakMap.prototype.get.call(object, Array),
     () => WeakSet.prototype.has.call(object, Array) || undefined]) try { const value = step(); if (value !== undefined) hits.push(path); } catch {} return hits;`,
  reachableSource,
);
attempt(
  "calls every function without a receiver and looks for a global object",
  `for (const [object] of reachable()) if (typeof object === "function") for (const receiver of [undefined, null, 1, globalThis]) { let value; try { value = Reflect.apply(object, receiver, []); } catch { continue; }
     if (value !== globalThis && typeof value?.Array === "function" && typeof value?.JSON === "object") value.leak = secret; }`,
  `return typeof leak === "undefined" ? "nothing" : leak;`,
  reachableSource,
);
attempt(
  "constructs everything with everything as new.target",
  `const all = [...reachable().keys()].filter((object) => typeof object === "function"); for (const make of all) for (const target of all.slice(0, 40)) try { const made = Reflect.construct(make, [], target); Object.getPrototypeOf(made).leak = secret; } catch {}`,
  `const hits = []; for (const [object, path] of reachable()) if (object.leak !== undefined) hits.push(path); return hits;`,
  reachableSource,
);

// ---- ways to the real global object ---------------------------------------------------------------------------------

for (const [name, expression] of Object.entries({
  "this of a function": "(function () { return this; })()",
  "this of an arrow at the top level": "(() => this)()",
  "indirect eval": '(0, eval)("this")',
  "direct eval": 'eval("this")',
  "sloppy function in eval": 'eval("(function () { return this; })()")',
  "var of a direct eval": 'eval("var leak = 1; globalThis")',
  "eval by Reflect.apply": 'Reflect.apply(eval, undefined, ["globalThis"])',
  "eval as a tag": "eval`this`[0]",
  "eval of an heir": 'globalThis.eval("this")',
  Function: 'Function("return this")()',
  "new Function": 'new Function("return this")()',
  "constructor of an arrow": '(() => 0).constructor("return this")()',
  "constructor of an async function": '(async () => 0).constructor("return this") && undefined',
  "constructor of a generator": '(function* () {}).constructor("yield this")().next().value',
  "constructor of an async generator": '(async function* () {}).constructor("yield this")',
  "constructor of a method": '({ m() {} }).m.constructor("return this")()',
  "constructor of a class": '(class {}).constructor("return this")()',
  "constructor of a bound function": '(() => 0).bind().constructor("return this")()',
  "constructor of a resolving function": 'Promise.withResolvers().resolve.constructor("return this")()',
  "constructor of a getter of the view":
    'Object.getOwnPropertyDescriptor(Object.getPrototypeOf(globalThis), "JSON").get.constructor("return this")()',
  "constructor of the thrower":
    'Object.getOwnPropertyDescriptor((function () { return arguments; })(), "callee").get.constructor("return this")()',
  "Reflect.construct of Function": 'Reflect.construct(Function, ["return this"], class {})()',
  "subclass of Function": '(() => { class F extends Function {} return new F("return this")(); })()',
  "bound Function": 'Function.bind(undefined, "return this")()()',
  "callback of map": "[1].map(function () { return this; })[0]",
  "callback of replace": '(() => { let g; "a".replace(/a/, function () { g = this; }); return g; })()',
  "callback of sort": "(() => { let g; [2, 1].sort(function () { g = this; return 0; }); return g; })()",
  "callback of a reviver":
    '(() => { let g; JSON.parse("1", function () { g = this; return 1; }); return g && g[""] === undefined ? g : undefined; })()',
  "callback of Array.from": "Array.from([1], function () { return this; })[0]",
  "callback of a getter on a primitive":
    "(() => { const o = Object.create(Object(1), { x: { get() { return this; } } }); return o.x === o ? undefined : o.x; })()",
  "callback of a proxy trap":
    "(() => { let g; new Proxy({}, { get() { g = this; } }).x; return g && g.get ? undefined : g; })()",
  "callback of a promise": "(() => { let g; new Promise(function () { g = this; }); return g; })()",
  "callback of toJSON":
    "(() => { let g; JSON.stringify(1, function () { g = this; }); return g && '' in g ? undefined : g; })()",
  "callback of Symbol.species":
    "(() => { let g; class A extends Array { static get [Symbol.species]() { g = this; return Array; } } new A(1).map((x) => x); return g === A ? undefined : g; })()",
  "this of a tagged template": "(function () { return this; })``",
  "this of a static block":
    "(() => { let g; (class { static { g = (function () { return this; })(); } }); return g; })()",
  "this of a field": "new (class { x = (function () { return this; })(); })().x",
  "Reflect.get with an undefined receiver": 'Reflect.get({ get x() { return this; } }, "x", undefined)',
  "Object.prototype.valueOf": "Object.prototype.valueOf.call(undefined)",
  "concat without a receiver": "[].concat.call(undefined)[0]",
  "caller of a function": "(function f() { return f.caller; })()",
  callee: "(function () { return arguments.callee.caller; })()",
  "arguments of the bridge": "(function f() { return f.arguments; })()",
  prepareStackTrace:
    "(() => { let g; Error.prepareStackTrace = (error, sites) => { g = sites[0].getThis(); }; void new Error('x').stack; return g; })()",
  captureStackTrace:
    "(() => { const o = {}; Error.captureStackTrace(o); return typeof o.stack === 'string' ? undefined : o.stack; })()",
  ShadowRealm: 'new ShadowRealm().evaluate("globalThis")',
  with: '(0, eval)("with ({}) { this }")',
  "new.target": "(function () { return new.target; })()",
  "import.meta": "import.meta.global ?? import.meta.constructor",
  "prototype of the view": "Object.getPrototypeOf(Object.getPrototypeOf(Object.getPrototypeOf(globalThis)))",
  "valueOf of the heir": "globalThis.valueOf() === globalThis ? undefined : globalThis.valueOf()",
  "toString tag of the heir": "globalThis[Symbol.toStringTag]",
  "super of an object": "({ __proto__: null, m() { return super.x; } }).m()",
  "return of a finished generator": "(function* () { return this; })().next().value",
  "thrown by a proxy":
    "(() => { try { new Proxy(() => 0, { apply: 1 })(); } catch (error) { return error.global; } })()",
  "Iterator helper": "[1].values().map(function () { return this; }).next().value",
  "Iterator from":
    "Iterator.from({ next() { return { value: (function () { return this; })(), done: false }; } }).next().value",
  __lookupGetter__: 'globalThis.__lookupGetter__("JSON")?.call(undefined) === JSON ? undefined : 1',
  "__defineGetter__ without a receiver": 'Object.prototype.__defineGetter__.call(undefined, "leak", () => 1)',
  "Symbol.unscopables": "Array.prototype[Symbol.unscopables]",
})) {
  attempt(
    `the global object by ${name}`,
    `const g = ${expression}; if (g === undefined || g === null || g === globalThis) throw new Error("no global object"); g.leak_q = secret;`,
    `let seen = "nothing"; try { seen = leak_q; } catch {} try { seen += String((${expression})?.leak_q); } catch {} return seen;`,
  );
}

// ---- private names, weak collections, symbols -----------------------------------------------------------------------

const stamps = `class Return { constructor(object) { return object; } }
  class Stamp extends Return { #value; constructor(object, value) { super(object); this.#value = value; } static read(object) { return #value in object ? object.#value : "nothing"; } }
  class Mark extends Return { #m() {} static has(object) { return #m in object; } }
  class Access extends Return { get #a() { return 1; } static has(object) { return #a in object; } }`;
const shared: Readonly<Record<string, string>> = {
  "Object.prototype": "Object.prototype",
  "a function's prototype": "Function.prototype",
  "the view of the global object": "Object.getPrototypeOf(globalThis)",
  "import.meta": "import.meta",
  "a template object": "tag()",
  "the raw strings of a template": "tag().raw",
  "the stack accessor": 'Object.getOwnPropertyDescriptor(new Error("x"), "stack").get',
  "the thrower": 'Object.getOwnPropertyDescriptor((function () { return arguments; })(), "callee").get',
  "the prototype of iterator helpers": "Object.getPrototypeOf([].values().map((x) => x))",
  "the prototype of async generators": "Object.getPrototypeOf(async function* () {}).prototype",
};
for (const [name, expression] of Object.entries(shared)) {
  attempt(
    `a private field on ${name}`,
    `new Stamp(${expression}, secret);`,
    `return Stamp.read(${expression});`,
    `${stamps} const tag = () => ((strings) => strings)\`x\${1}y\`;`,
  );
  attempt(
    `a second private method or accessor on ${name}`,
    `new Mark(${expression}); new Access(${expression});`,
    `return [Mark.has(${expression}), Access.has(${expression})].join() + new Mark(${expression}) .length;`,
    `${stamps} const tag = () => ((strings) => strings)\`x\${1}y\`;`,
  );
  attempt(
    `weak collections with ${name} as a key`,
    `map.set(${expression}, secret); set.add(${expression});`,
    `return [map.get(${expression}) ?? "nothing", set.has(${expression})].join();`,
    "const map = new WeakMap(); const set = new WeakSet(); const tag = () => ((strings) => strings)`x${1}y`;",
  );
  attempt(
    `a property of ${name}`,
    `const o = ${expression}; try { o.leak = secret; } catch {} try { o[Symbol.for("leak")] = secret; } catch {} try { Object.setPrototypeOf(o, { leak: secret }); } catch {} try { o.__defineGetter__("leak", () => secret); } catch {}`,
    `return [${expression}.leak, ${expression}[Symbol.for("leak")]].map(String).join();`,
    "const tag = () => ((strings) => strings)`x${1}y`;",
  );
}
attempt(
  "static private state",
  "K.put(secret);",
  "return K.take();",
  'class K { static #s = "nothing"; static put(v) { K.#s = v; } static take() { return K.#s; } }',
);
attempt(
  "a static block's closure",
  "K.put(secret);",
  "return K.take();",
  'class K { static { let s = "nothing"; K.put = (v) => { s = v; }; K.take = () => s; } }',
);
attempt(
  "private fields on everything",
  "for (const [object] of reachable()) try { new Stamp(object, secret); } catch {}",
  "const hits = []; for (const [object, path] of reachable()) if (Stamp.read(object) !== 'nothing') hits.push(path); return hits;",
  reachableSource + stamps,
);
attempt(
  "the registry of symbols",
  "Symbol.for('k' + secret);",
  "return [Symbol.keyFor(Symbol.for('kalpha')), Symbol.for('a') === Symbol.for('a'), Symbol.for('kalpha').description].join();",
);
attempt(
  "a registered symbol at load",
  "stored.push(secret);",
  "return [symbol === Symbol.for('at load'), Symbol.keyFor(symbol), stored.length].join();",
  "const symbol = Symbol.for('at load'); const stored = [];",
);
attempt(
  "a weak map with a well-known symbol as a key",
  "try { map.set(Symbol.iterator, secret); } catch {}",
  "return map.get(Symbol.iterator) ?? 'nothing';",
  "const map = new WeakMap();",
);
attempt(
  "the description of a symbol",
  "Object(Symbol.iterator).leak = secret; Symbol.iterator.leak = secret;",
  "return String(Symbol.iterator.leak);",
);

// ---- errors ----------------------------------------------------------------------------------------------------------

attempt(
  "the limit of stack traces",
  "Error.stackTraceLimit = secret === 'alpha' ? 1 : 3;",
  "return [Error.stackTraceLimit, (function f(n) { return n ? f(n - 1) : new Error('x').stack.split('\\n').length; })(20)].join();",
);
attempt(
  "the limit by definition",
  "Object.defineProperty(Error, 'stackTraceLimit', { value: secret === 'alpha' ? 1 : 3 });",
  "return Error.stackTraceLimit;",
);
attempt(
  "the limit of a subclass",
  "TypeError.stackTraceLimit = 1; Object.getPrototypeOf(TypeError).stackTraceLimit = 2;",
  "return [TypeError.stackTraceLimit, Error.stackTraceLimit].join();",
);
attempt(
  "prepareStackTrace with the secret",
  "Error.prepareStackTrace = () => secret;",
  "return String(new Error('x').stack).slice(0, 8);",
);
attempt(
  "prepareStackTrace by definition",
  "Object.defineProperty(Error, 'prepareStackTrace', { value: () => secret });",
  "return String(new Error('x').stack).slice(0, 8);",
);
attempt(
  "prepareStackTrace of the constructor of a prototype",
  "Error.prototype.constructor.prepareStackTrace = () => secret;",
  "return String(new Error('x').stack).slice(0, 8);",
);
attempt(
  "captureStackTrace replaced",
  "Error.captureStackTrace = (object) => { object.stack = secret; };",
  "const o = {}; Error.captureStackTrace(o); return String(o.stack).slice(0, 8);",
);
attempt(
  "captureStackTrace on frozen objects",
  "(function alpha() { if (secret === 'alpha') Error.captureStackTrace(Object.prototype); })(); (function omega() { Error.captureStackTrace(Array.prototype); })();",
  "return [typeof Object.prototype.stack, typeof [].stack].join();",
);
attempt(
  "the setter of stack on everything",
  "const { set } = Object.getOwnPropertyDescriptor(new Error('x'), 'stack'); for (const [object] of reachable()) try { set.call(object, secret); } catch {}",
  "const { get } = Object.getOwnPropertyDescriptor(new Error('x'), 'stack'); const hits = []; for (const [object, path] of reachable()) try { const v = get.call(object); if (v === 'alpha' || v === 'omega') hits.push(path); } catch {} return hits;",
  reachableSource,
);
attempt(
  "properties of an error of the engine",
  "try { null.x; } catch (error) { error.leak = secret; Object.getPrototypeOf(error).leak = secret; }",
  "try { null.x; } catch (error) { return error.leak ?? 'nothing'; }",
);
attempt(
  "properties of an overflow error",
  "const f = () => f() + 1; try { f(); } catch (error) { error.leak = secret; error.constructor.leak = secret; }",
  "const f = () => f() + 1; try { f(); } catch (error) { return [error.leak, error.constructor.leak].map(String).join(); }",
);
attempt(
  "the error of a refused eval",
  "try { eval('1'); } catch (error) { error.leak = secret; }",
  "try { eval('1'); } catch (error) { return error.leak ?? 'nothing'; }",
);
attempt(
  "the text of stacks",
  "for (let i = 0; i < (secret === 'alpha' ? 50 : 1); i++) void new Error('x').stack;",
  "return [new Error('x').stack, (() => { try { null.x; } catch (error) { return error.stack; } })()].join();",
);
attempt(
  "cause and errors",
  "const e = new AggregateError([new Error(secret)], secret, { cause: secret }); AggregateError.prototype.message = secret; Error.prototype.cause = secret;",
  "return [new AggregateError([]).message, new Error('x').cause].map(String).join();",
);
attempt(
  "a name for all errors",
  "Error.prototype.name = secret; TypeError.prototype.toString = () => secret;",
  "return [String(new Error('x')), String(new TypeError('x'))].join();",
);
attempt(
  "a setter of the realm called on its own object",
  "const { set } = Object.getOwnPropertyDescriptor(Error.prototype, 'name') ?? {}; set?.call(Error.prototype, secret); set?.call(Array.prototype, secret);",
  "return [new Error('x').name, [].name].map(String).join();",
);

// ---- regular expressions and texts ------------------------------------------------------------------------------------

attempt(
  "static properties of RegExp",
  "/(\\w+)/.exec(secret);",
  "return [RegExp.$1, RegExp.lastMatch, RegExp.input, RegExp['$_'], RegExp.leftContext, RegExp['$&']].map(String).join();",
);
attempt(
  "static properties of a subclass of RegExp",
  "class R extends RegExp {} new R('(\\\\w+)').exec(secret); R.input = secret;",
  "class R extends RegExp {} return [R.$1, R.input, RegExp.input].map(String).join();",
);
attempt("RegExp.input set", "RegExp.input = secret;", "return String(RegExp.input);");
attempt(
  "lastIndex of a literal at the top level",
  "global.exec('aaaa' + secret); if (secret === 'alpha') global.exec('aaaa');",
  "return global.lastIndex;",
  "const global = /a/g;",
);
attempt(
  "lastIndex of a literal in a function",
  "make().lastIndex = secret === 'alpha' ? 3 : 5;",
  "return make().lastIndex;",
  "const make = () => /a/y;",
);
attempt(
  "lastIndex of a literal in a default parameter",
  "take().lastIndex = 3;",
  "return take().lastIndex;",
  "const take = (r = /a/g) => r;",
);
attempt(
  "lastIndex of a literal in a field",
  "new K().r.lastIndex = 3;",
  "return new K().r.lastIndex;",
  "class K { r = /a/g; }",
);
attempt(
  "exec of the prototype",
  "RegExp.prototype.exec = () => [secret];",
  "return ['x'.match(/x/)[0], /x/.test('y')].join();",
);
attempt(
  "flags and symbols of the prototype",
  "Object.defineProperty(RegExp.prototype, 'flags', { value: secret }); RegExp.prototype[Symbol.replace] = () => secret; RegExp.prototype[Symbol.split] = () => [secret];",
  "return [/x/g.flags, 'x'.replace(/x/, 'y'), 'a,b'.split(/,/).join('|')].join();",
);
attempt(
  "compile",
  "/x/.compile?.(secret); RegExp.prototype.compile = () => secret;",
  "return typeof RegExp.prototype.compile;",
);
attempt(
  "cached results of split, match and JSON",
  "const a = 'a,b,c'.split(','); a[0] = secret; a.leak = secret; const m = 'a1b2'.match(/\\d/g); m[0] = secret; JSON.parse('[1]')[0] = secret; Object.keys({ a: 1 })[0] = secret;",
  "return ['a,b,c'.split(',').join(), 'a1b2'.match(/\\d/g).join(), String('a,b,c'.split(',').leak), JSON.parse('[1]')[0], Object.keys({ a: 1 })[0]].join('|');",
);
attempt(
  "cached results of matchAll and named groups",
  "const [m] = 'ab'.matchAll(/(?<n>a)/dg); m.groups.n = secret; m.indices.groups.n = secret; Object.getPrototypeOf(m.groups ?? {});",
  "const [m] = 'ab'.matchAll(/(?<n>a)/dg); return [m.groups.n, m.indices.groups.n.join()].join();",
);
attempt(
  "cached numbers as texts",
  "String(secret.length * 1.7); (123.456).toString(7); Number.prototype.leak = secret;",
  "return [(1.7).toString(), (123.456).toString(7), (1).leak].map(String).join();",
);
attempt(
  "wrappers of primitives",
  "Object('s').leak = secret; (1).leak; Object(1n).leak = secret; String.prototype.leak = secret;",
  "return ['s'.leak, (1n).leak].map(String).join();",
);

// ---- jobs and what goes on after a call -------------------------------------------------------------------------------

const log = "console.log('late ' + secret);";
attempt(
  "a long chain of jobs",
  `let n = 0; const step = () => { ${log} if (++n < 50) Promise.resolve().then(step); }; step();`,
  "return 1;",
);
attempt(
  "an async function that waits for ever",
  `(async () => { await new Promise(() => 0); ${log} })();`,
  "return 1;",
);
attempt(
  "an async function that is suspended in finally",
  `(async () => { try { await new Promise(() => 0); } finally { ${log} } })();`,
  "return 1;",
);
attempt(
  "a suspended async generator",
  `const g = (async function* () { try { yield 1; yield 2; } finally { ${log} } })(); g.next(); g.next();`,
  "return 1;",
);
attempt(
  "a suspended generator",
  `const g = (function* () { try { yield 1; } finally { ${log} } })(); g.next(); keep = g;`,
  "return String(keep);",
  "let keep = null;",
);
attempt(
  "a resolve function kept in the module",
  `p = new Promise((resolve) => { r = resolve; }); p.then(() => { ${log} });`,
  "if (r) r(1); return String(r);",
  "let p, r = null;",
);
attempt(
  "a resolve function kept on a global",
  `globalThis.r = Promise.withResolvers(); globalThis.r.promise.then(() => { ${log} });`,
  "globalThis.r?.resolve(1); return typeof globalThis.r;",
);
attempt("an import that settles later", `import("x").then(() => 0, () => { ${log} });`, "return 1;");
attempt("an unhandled rejection", "Promise.reject(new Error(secret));", "return 1;");
attempt(
  "getters of an unhandled rejection",
  `Promise.reject({ get message() { ${log} return secret; }, get stack() { ${log} return secret; } });`,
  "return 1;",
);
attempt(
  "a thenable that answers late",
  `return { then(done) { Promise.resolve().then(() => Promise.resolve()).then(() => { ${log} done(secret); }); } };`,
  "return 1;",
);
attempt(
  "a job left by an overflow of the stack",
  `const f = () => { Promise.resolve().then(() => { ${log} }); f(); }; try { f(); } catch {}`,
  "return 1;",
);
attempt(
  "toJSON of the answer",
  "return { toJSON() { try { Object.prototype.leak = secret; } catch {} globalThis.leak = secret; return 1; } };",
  "return [({}).leak, globalThis.leak].map(String).join();",
);
attempt(
  "then and species of promises",
  "Promise.prototype.then = function () { return secret; };",
  "Promise.resolve(1).then(() => 0); return typeof Promise.resolve(1).then(() => 0);",
);
attempt(
  "the species of promises",
  "Object.defineProperty(Promise, Symbol.species, { value: class extends Promise { leak = secret; } });",
  "return String(Promise.resolve(1).then(() => 0).leak);",
);
attempt(
  "an async dispose",
  `(async () => { const stack = new AsyncDisposableStack(); stack.defer(() => { ${log} }); })();`,
  "return typeof AsyncDisposableStack;",
);
attempt(
  "a registry of finalizers",
  `const r = new FinalizationRegistry(() => { ${log} }); for (let i = 0; i < 50; i++) r.register({}, 1);`,
  "for (let i = 0; i < 40; i++) new Array(20_000).fill(i); return typeof FinalizationRegistry;",
);
attempt(
  "Array.fromAsync that waits",
  `Array.fromAsync({ async *[Symbol.asyncIterator]() { yield 1; await new Promise(() => 0); ${log} } });`,
  "return 1;",
);
attempt(
  "jobs of an endless chain that ends with the call",
  `let n = 0; (function next() { if (n++ < 20_000) Promise.resolve().then(next); else { ${log} } })();`,
  "return 1;",
);
program(
  "an endless call with a job left",
  `export default (event) => { if (event.phase === "write") { Promise.resolve().then(() => console.log("late " + event.secret)); for (;;); } return 1; };`,
  true,
);
program(
  "an endless job with a job left",
  `export default (event) => { if (event.phase === "write") Promise.resolve().then(() => { Promise.resolve().then(() => console.log("late")); for (;;); }); return 1; };`,
  true,
);
program(
  "an answer that never settles, and one that does",
  `let settle; export default (event) => event.phase === "write" ? new Promise((done) => { settle = done; }) : (settle?.(1), typeof settle);`,
);
program(
  "a thenable that keeps its function",
  `let kept; export default (event) => event.phase === "write" ? { then(done) { kept = done; } } : (kept?.("late"), typeof kept);`,
);
program(
  "a job queued while the module is evaluated",
  `let n = 0; Promise.resolve().then(() => { n++; }); export default (event) => { if (event.phase === "write") Promise.resolve().then(() => { n += 7; }); return n; };`,
);
program(
  "a hidden job while the module is evaluated",
  `const P = globalThis["Pro" + "mise"]; let n = 0; P.resolve()["th" + "en"](() => { n++; console.log("job"); }); export default (event) => typeof n;`,
);

// ---- functions, classes, literals: what a module makes -----------------------------------------------------------------

attempt(
  "module bindings",
  "v = secret; l = secret; F.x = secret; C.x = secret;",
  "return [v, l, F.x, C.x].map(String).join();",
  "var v = 0; let l = 0; function F() {} class C {}",
);
attempt(
  "closures, memo tables, singletons",
  "inc(); memo.set('k', secret); (inst ??= { secret });",
  "return [inc(), memo.get('k'), inst?.secret].map(String).join();",
  "let n = 0, inst = null; const inc = () => ++n; const memo = new Map();",
);
attempt(
  "a nested function",
  "make().leak = secret; make().prototype.leak = secret;",
  "return [make().leak, new (make())().leak].map(String).join();",
  "const make = () => function nested() {};",
);
attempt(
  "a class expression",
  "make().leak = secret; make().prototype.leak = secret;",
  "return [make().leak, new (make())().leak].map(String).join();",
  "const make = () => class {};",
);
attempt(
  "a class with a computed key",
  "key = secret;",
  "return Object.getOwnPropertyNames(make().prototype).join();",
  "let key = 'k'; const make = () => class { [key]() {} };",
);
attempt(
  "a function of a block",
  "{ function g() {} g.leak = secret; }",
  "{ function g() {} return String(g.leak); }",
);
attempt(
  "prototypes of generators",
  "gen.prototype.leak = secret; try { Object.getPrototypeOf(gen).leak = secret; } catch {} try { Object.getPrototypeOf(gen.prototype).leak = secret; } catch {}",
  "return [gen().leak, Object.getPrototypeOf(gen).leak].map(String).join();",
  "function* gen() {}",
);
attempt(
  "the async iterator prototype",
  "Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype)[Symbol.asyncIterator] = () => secret;",
  "return typeof Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}).prototype)[Symbol.asyncIterator]();",
);
attempt(
  "next of array iterators",
  "Object.getPrototypeOf([].values()).next = () => ({ done: false, value: secret });",
  "const [first] = ['x']; return first;",
);
attempt(
  "next of iterator helpers",
  "Object.getPrototypeOf([].values().map((x) => x)).next = () => ({ done: false, value: secret });",
  "return [1].values().map((x) => x).next().value;",
);
attempt(
  "arguments",
  "(function () { arguments[0] = secret; arguments.leak = secret; })(1);",
  "return (function () { return [arguments[0], arguments.leak].map(String).join(); })(1);",
);
attempt(
  "arguments of the module",
  "const a = typeof arguments === 'undefined' ? [] : arguments; a[0] = secret; a.leak = secret;",
  "const a = typeof arguments === 'undefined' ? [] : arguments; return [typeof a[0], a.leak].map(String).join();",
);
program(
  "arguments of the factory",
  `const a = arguments; export default (event) => { if (event.phase === "write") { a.leak = event.secret; a[0].leak = event.secret; a.length = 9; } return [a.leak, a[0].leak, a.length, typeof a.callee].map(String).join(); };`,
);
program(
  "callee of the factory",
  `let f; try { f = arguments.callee; } catch {} export default (event) => { if (f && event.phase === "write") f.leak = event.secret; return String(f?.leak); };`,
);
program(
  "this of the module",
  `const self = this; export default (event) => { try { if (event.phase === "write") self.leak = event.secret; } catch {} return String(self?.leak); };`,
);
program(
  "new.target of the module",
  `export default (event) => { function F() { return new.target; } return typeof F(); };`,
);
attempt(
  "the event and the context",
  "event.leak = secret; context.leak = secret; context.list = [secret];",
  "return [event.leak, context.leak, context.list].map(String).join();",
);
attempt(
  "literals",
  "const a = make(); a[0][0] = secret; a[1].x = secret; a.push(secret);",
  "return JSON.stringify(make());",
  "const make = () => [[1, 2, 3], { x: 1 }, 's'];",
);
attempt(
  "a large literal",
  "const a = make(); a[50] = secret; a.length = 3;",
  "const a = make(); return [a.length, a[50]].join();",
  `const make = () => [${Array.from({ length: 100 }, (_, i) => i).join()}];`,
);
attempt(
  "default parameters",
  "f(secret);",
  "return f();",
  "const f = (v, box = []) => { if (v) box.push(v); return box.length; };",
);
attempt(
  "a spread of a shared array",
  "const [...rest] = tag(); rest.push(secret); try { tag().push(secret); } catch {}",
  "return tag().length;",
  "const tag = () => ((strings) => strings)`x`;",
);
attempt(
  "the identity of a template object",
  "seen.add(tag());",
  "return seen.has(tag());",
  "const seen = new WeakSet(); const tag = () => ((strings) => strings)`x${1}`;",
);
attempt(
  "labels and switch scopes",
  "outer: for (;;) { switch (1) { case 1: let held = secret; keep = () => held; break outer; } }",
  "return String(keep?.());",
  "let keep;",
);
attempt(
  "getters that cache",
  "o.lazy;",
  "return o.count;",
  "const o = { count: 0, get lazy() { this.count++; Object.defineProperty(this, 'lazy', { value: 1 }); return 1; } };",
);
attempt(
  "the species of arrays",
  "Object.defineProperty(Array, Symbol.species, { value: function () { return Object.assign([], { leak: secret }); } });",
  "return String([1].map((x) => x).leak);",
);
attempt(
  "the constructor of arrays",
  "Array.prototype.constructor = { [Symbol.species]: function () { return { leak: secret }; } };",
  "return String([1].map((x) => x).leak);",
);
attempt(
  "concat spreading",
  "Array.prototype[Symbol.isConcatSpreadable] = false; Object.prototype[Symbol.isConcatSpreadable] = true;",
  "return [].concat([1], { length: 1, 0: 2 }).length;",
);
attempt(
  "toPrimitive of objects",
  "Object.prototype[Symbol.toPrimitive] = () => secret; Date.prototype[Symbol.toPrimitive] = () => secret;",
  "return String({}) + typeof (new Date(0) + '');",
);
attempt(
  "hasInstance",
  "Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => secret === 'alpha' });",
  "return [[] instanceof Array, ({}) instanceof Array].join();",
);
attempt(
  "a proxy around a shared object",
  "const { proxy, revoke } = Proxy.revocable(Object.prototype, { set: () => true }); proxy.leak = secret; Reflect.set(proxy, 'leak', secret); revoke();",
  "return String(({}).leak);",
);
attempt(
  "super of a static method",
  "class X extends Object { static f() { super.leak = secret; } } X.f(); ({ __proto__: Array.prototype, g() { super.leak = secret; } }).g();",
  "return [Object.leak, [].leak].map(String).join();",
);
attempt(
  "Reflect.set with a shared receiver",
  "Reflect.set({}, 'leak', secret, Object.prototype); Reflect.set({ set leak(v) { this.kept = v; } }, 'leak', secret, Array.prototype);",
  "return [({}).leak, [].kept].map(String).join();",
);
attempt(
  "Object.assign onto shared objects",
  "for (const o of [Object, JSON, Math, Reflect, Array.prototype, console]) try { Object.assign(o, { leak: secret }); } catch {}",
  "return [Object, JSON, Math, Reflect, Array.prototype, console].map((o) => String(o.leak)).join();",
);
attempt(
  "array methods on shared objects",
  "for (const o of [Array.prototype, Function.prototype, Object, JSON, Math, String.prototype]) for (const f of ['push', 'unshift', 'fill', 'splice', 'reverse', 'sort', 'pop', 'shift', 'copyWithin']) try { Array.prototype[f].call(o, secret, 0, secret); } catch {}",
  "return [Array.prototype, Function.prototype, Object, JSON, Math].map((o) => [o.length, o[0]].map(String).join(':')).join();",
);
attempt(
  "functions that built-ins make",
  "Promise.withResolvers().resolve.leak = secret; Proxy.revocable({}, {}).revoke.leak = secret; (() => 0).bind().leak = secret;",
  "return [Promise.withResolvers().resolve.leak, Proxy.revocable({}, {}).revoke.leak, (() => 0).bind().leak].map(String).join();",
);
attempt(
  "results of grouping",
  "Object.groupBy([1], (x) => x).leak = secret; Map.groupBy([1], (x) => x).leak = secret;",
  "return [Object.groupBy([1], (x) => x).leak, Map.groupBy([1], (x) => x).leak].map(String).join();",
);
attempt(
  "set methods",
  "Set.prototype.union = () => secret; Set.prototype[Symbol.iterator] = function* () { yield secret; };",
  "return [...new Set([1]).union(new Set([2]))].join();",
);
attempt(
  "iterator constructor and tag",
  "Iterator.prototype.constructor = secret; Iterator.prototype[Symbol.toStringTag] = secret;",
  "return [typeof Iterator.prototype.constructor, Iterator.prototype[Symbol.toStringTag]].join();",
);
attempt(
  "the weird setters of Iterator.prototype on shared objects",
  "for (const key of ['constructor', Symbol.toStringTag]) { const { set } = Object.getOwnPropertyDescriptor(Iterator.prototype, key); if (set) for (const o of [Array.prototype, Object.prototype, Math]) try { set.call(o, secret); } catch {} }",
  "return [Array.prototype.constructor === Array, Math[Symbol.toStringTag], Object.prototype[Symbol.toStringTag]].map(String).join();",
);
attempt(
  "__proto__ of shared objects",
  "Array.prototype.__proto__ = { leak: secret }; Object.prototype.__proto__ = { leak: secret };",
  "return String([].leak);",
);
attempt(
  "__defineGetter__ and __defineSetter__ on shared objects",
  "for (const f of ['__defineGetter__', '__defineSetter__']) for (const o of [Array.prototype, Object.prototype, Function.prototype]) try { Object.prototype[f].call(o, 'leak', () => secret); } catch {}",
  "return [[].leak, ({}).leak, (() => 0).leak].map(String).join();",
);
attempt(
  "preventExtensions, seal and freeze as a bit",
  "for (const o of [Object.prototype, Array, import.meta, Object.getPrototypeOf(globalThis)]) try { Object.preventExtensions(o); Object.seal(o); Object.freeze(o); } catch {}",
  "return [Object.prototype, Array, import.meta, Object.getPrototypeOf(globalThis), globalThis].map(Object.isExtensible).join();",
);
attempt("import.meta", "import.meta.leak = secret;", "return String(import.meta.leak);");
attempt(
  "a using declaration's symbols",
  "const s = Symbol.dispose; if (s) Object.prototype[s] = () => secret;",
  "return typeof Symbol.dispose;",
);
attempt(
  "decorators' metadata",
  "const s = Symbol.metadata; if (s) Function.prototype[s] = secret;",
  "return typeof Symbol.metadata;",
);
attempt(
  "toString of functions",
  "Function.prototype.toString = () => secret;",
  "return (() => 0).toString();",
);
attempt(
  "name and length of built-ins",
  "Object.defineProperty(Array.prototype.map, 'name', { value: secret }); delete Array.prototype.map.length;",
  "return [[].map.name, [].map.length].join();",
);
attempt(
  "bind, call and apply",
  "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => secret;",
  "return [(() => 1).call(), (() => 2).apply(), (() => 3).bind()()].join();",
);

// ---- the heir of the global object ---------------------------------------------------------------------------------------

attempt(
  "properties of globalThis",
  "globalThis.leak = secret; globalThis[Symbol.for('x')] = secret; Object.defineProperty(globalThis, 'hidden', { value: secret });",
  "return [globalThis.leak, globalThis[Symbol.for('x')], globalThis.hidden].map(String).join();",
);
attempt(
  "a polyfill",
  "globalThis.TextDecoder = class { leak = secret; };",
  "return typeof globalThis.TextDecoder;",
);
attempt(
  "the prototype of globalThis",
  "Object.setPrototypeOf(globalThis, { leak: secret }); globalThis.__proto__ = { leak: secret };",
  "return [globalThis.leak, typeof globalThis.JSON].join();",
);
attempt(
  "the view behind globalThis",
  "const view = Object.getPrototypeOf(globalThis); try { view.leak = secret; } catch {} try { Object.setPrototypeOf(view, { leak: secret }); } catch {} try { delete view.JSON; } catch {}",
  "const view = Object.getPrototypeOf(globalThis); return [view.leak, 'JSON' in view].map(String).join();",
);
attempt(
  "setters of the view on shared objects",
  "const view = Object.getPrototypeOf(globalThis); for (const key of Reflect.ownKeys(view)) { const { set } = Object.getOwnPropertyDescriptor(view, key); for (const o of [view, Object.prototype, Array, JSON, set, set.prototype]) try { set.call(o, secret); } catch {} }",
  "const view = Object.getPrototypeOf(globalThis); return [typeof JSON, Object.prototype.JSON, Array.JSON, JSON.JSON, typeof globalThis.Array].map(String).join();",
);
attempt(
  "getters of the view as objects",
  "const view = Object.getPrototypeOf(globalThis); for (const key of Reflect.ownKeys(view)) try { Object.getOwnPropertyDescriptor(view, key).get.leak = secret; } catch {}",
  "const view = Object.getPrototypeOf(globalThis); return Reflect.ownKeys(view).filter((key) => Object.getOwnPropertyDescriptor(view, key).get.leak).length;",
);
attempt(
  "built-ins replaced for oneself",
  "globalThis.Array = secret; globalThis.JSON = { parse: () => secret, stringify: () => secret }; globalThis.Promise = null;",
  "return [typeof globalThis.Array, globalThis.JSON === JSON, typeof Promise].join();",
);
attempt(
  "globalThis replaced",
  "globalThis.globalThis = { leak: secret }; globalThis = { leak: secret };",
  "return [globalThis.leak, globalThis === globalThis.globalThis].map(String).join();",
);
attempt(
  "a frozen or sealed globalThis",
  "Object.freeze(globalThis);",
  "globalThis.x = 1; return globalThis.x;",
);

// ---- time, chance, log, answers: the state of the prelude ------------------------------------------------------------------

program(
  "the clock and chance while the module is evaluated",
  "const now = Date.now(), chance = Math.random(); export default (event) => [now, chance, Date.now(), Math.random()];",
);
attempt(
  "the position of the generator of chance",
  "for (let i = 0; i < (secret === 'alpha' ? 640 : 1280); i++) Math.random();",
  "return [Math.random(), Math.random()];",
);
attempt(
  "the generator near the end of the stack",
  "const f = () => { try { f(); } catch {} Math.random(); Date.now(); new Date(); }; try { f(); } catch {}",
  "return [Math.random(), Date.now()];",
);
attempt("Date.now replaced", "Date.now = () => secret;", "return typeof Date.now();");
attempt("Math.random replaced", "Math.random = () => secret;", "return typeof Math.random();");
attempt(
  "the caches of dates",
  "new Date(2020, 0, 1).toString(); new Date(secret === 'alpha' ? 1e12 : 2e12).getTimezoneOffset(); Date.parse('2020-01-01T00:00:00');",
  "return [new Date(1e12).toString(), new Date(1e12).getTimezoneOffset(), Date.parse('2020-01-01T00:00:00')].join();",
);
attempt(
  "locales",
  "'a'.localeCompare('b', secret === 'alpha' ? 'de' : 'sv'); (1).toLocaleString('de'); new Date(0).toLocaleString(secret === 'alpha' ? 'de' : 'en');",
  "return ['ä'.localeCompare('z'), (1234.5).toLocaleString(), new Date(0).toLocaleString()].join();",
);
attempt(
  "a log left half-written by an overflow",
  "const f = () => { try { f(); } finally { console.log(secret); } }; try { f(); } catch {}",
  "console.log('mine'); return 1;",
);
attempt(
  "a log that is full",
  "for (let i = 0; i < 2000; i++) console.log(secret.repeat(50));",
  "console.log('mine'); return 1;",
);
attempt(
  "a log written by a getter of what is logged",
  "console.log({ get a() { console.log(secret); return secret; } });",
  "console.log('mine'); return 1;",
);
program(
  "a log while the module is evaluated",
  "console.log('at load'); export default (event) => { if (event.phase === 'write') console.log(event.secret); return 1; };",
);
program(
  "an answer that is too deep",
  "export default (event) => { if (event.phase !== 'write') return { a: { b: [1, 2] } }; let o = {}; for (let i = 0; i < 5000; i++) o = { o }; return o; };",
);
program(
  "an answer that is too long",
  "export default (event) => event.phase === 'write' ? event.secret.repeat(1e5) : 'short';",
);
program(
  "an answer that throws while it is written",
  "export default (event) => event.phase === 'write' ? { get a() { throw new Error(event.secret); } } : { a: 1 };",
);
program(
  "a proxy as the answer",
  "export default (event) => event.phase === 'write' ? new Proxy({}, { get: (t, key) => key === 'then' || key === 'toJSON' ? undefined : event.secret, ownKeys() { throw event.secret; } }) : { a: 1 };",
);
program(
  "an answer that throws at the end of the stack",
  "export default (event) => { if (event.phase !== 'write') return 1; const f = () => { try { return f(); } catch { throw event.secret; } }; return f(); };",
);
program(
  "handlers that change",
  "let n = 0; export default { get PreToolUse() { n++; return (event) => n; } };",
);
program(
  "a default export that is replaced",
  "let f = () => 'first'; export { f as default }; globalThis.swap = () => { f = () => 'second'; }; const g = f; f = (event) => { if (event.phase === 'write') globalThis.swap(); return g(); };",
);

// ---- memory that was not cleared ------------------------------------------------------------------------------------------

attempt(
  "buffers that are not cleared",
  "for (let i = 0; i < 40; i++) new Uint8Array(65_536).fill(secret.charCodeAt(0));",
  "let sum = 0; for (let i = 0; i < 40; i++) { const u = new Uint8Array(65_536); for (let j = 0; j < 65_536; j += 97) sum += u[j]; } return sum;",
);
attempt(
  "arrays of numbers that are not cleared",
  "for (let i = 0; i < 100; i++) new Float64Array(4096).fill(7.25);",
  "const a = []; a[5] = 1.5; return [a.concat([, 1.1]).map(String).join(), new Float64Array(4096).some((x) => x !== 0), new Uint8Array(new ArrayBuffer(64).slice(8)).some((x) => x)].join();",
);
attempt(
  "a resizable buffer",
  "const b = new ArrayBuffer(8, { maxByteLength: 1024 }); b.resize?.(512); ArrayBuffer.prototype.kept = b;",
  "return [typeof ArrayBuffer.prototype.kept, typeof ArrayBuffer.prototype.resize].join();",
);
attempt(
  "the bits of a NaN in a view",
  "for (let i = 0; i < 3e5; i++) nan(i);",
  "return nan(0);",
  "const view = new DataView(new ArrayBuffer(8)); const h = [1.5, 2.5]; function nan(i) { h[0] = Math.sqrt(-1 - (i & 1)); view.setFloat64(0, -h[0]); return view.getUint32(0); }",
);
attempt(
  "the bits of a NaN of 32 and 16 bits",
  "for (let i = 0; i < 1e5; i++) nan(i);",
  "return nan(0);",
  "const view = new DataView(new ArrayBuffer(8)); const h = [1.5]; function nan(i) { h[0] = Math.sqrt(-1 - (i & 1)); view.setFloat32(0, -h[0]); view.setFloat16?.(4, -h[0]); return [view.getUint32(0), view.getUint32(4)].join(); }",
);
// The bits of a NaN that is stored into a typed array are not among them: nothing can come between, and they depend on when
// V8 has optimised the function. docs/isolate.md names this trace.

// ---- what warm code computes ----------------------------------------------------------------------------------------------

const warm = (name: string, work: string, read: string, setup: string): void =>
  attempt(`warm code: ${name}`, `if (secret === "alpha") { ${work} }`, read, setup);
warm(
  "functions of Math",
  "for (let i = 0; i < 1e5; i++) f(i);",
  "return f(1.1);",
  "const f = (x) => [Math.sin(x), Math.pow(x, 3.1), x ** 3.1, Math.exp(x), Math.cbrt(x)].join();",
);
warm(
  "negative zero and overflow",
  "for (let i = 0; i < 1e5; i++) f(i, 3);",
  "return [Object.is(f(0, -3), -0), f(2 ** 31 - 1, 2), f('a', 1)].map(String).join();",
  "function f(a, b) { return a * b; }",
);
warm(
  "order of keys",
  "for (let i = 0; i < 5000; i++) { const o = {}; o['k' + i] = 1; Symbol('s' + i); }",
  "const o = { b: 1, a: 2, 1: 1 }; for (let i = 0; i < 2000; i++) o['p' + ((i * 7919) % 2003)] = i; delete o.a; o.a = 1; return [Object.keys(o).slice(0, 5), Object.keys(o).slice(-2)].join();",
  "",
);
warm(
  "calls of a comparator",
  "for (let i = 0; i < 500; i++) [3, 1, 2].sort((a, b) => a - b);",
  "let n = 0; [5, 3, 9, 1].sort((a, b) => { n++; return a - b; }); return n;",
  "",
);
warm(
  "kinds of elements",
  "for (let i = 0; i < 1e4; i++) { const a = make(); a[0] = 'x'; a.length = 9; }",
  "const a = make(); return [a.length, 5 in a, JSON.stringify(a)].join();",
  "const make = () => [1, 2, 3];",
);
warm(
  "inline caches",
  "for (let i = 0; i < 2e4; i++) get(i % 5 ? { x: i, ['k' + (i % 99)]: 1 } : new Proxy({}, { get: () => i }));",
  "return [get({ x: 7 }), get(1), get('s')].map(String).join();",
  "const get = (o) => o.x;",
);
warm(
  "order of jobs",
  "for (let i = 0; i < 3000; i++) (async () => { await 0; })();",
  "const order = []; Promise.resolve().then(() => order.push(1)).then(() => order.push(3)); (async () => { await null; order.push(2); })(); return { then(done) { Promise.resolve().then(() => 0).then(() => 0).then(() => 0).then(() => done({ order })); } };",
  "",
);
warm(
  "backtracking",
  "for (let i = 0; i < 2000; i++) new RegExp('(x+x+)+y').test('xxxxy');",
  "return new RegExp('(x+x+)+y').test('x'.repeat(12));",
  "",
);
warm(
  "lazily compiled functions",
  "lazy();",
  "return [lazy.toString(), lazy.name, lazy.length].join();",
  "function lazy(a, b) { return 1; }",
);
warm(
  "failed allocations",
  "const x = []; for (let i = 0; i < 5; i++) x.push(new Array(1e4).fill(i));",
  "const seen = []; for (const run of [() => 'x'.repeat(2 ** 30).length, () => new Array(-1).length]) try { seen.push(run()); } catch (error) { seen.push(error.message); } return seen;",
  "",
);

// ---- text that tries to leave the factory -----------------------------------------------------------------------------------

const probe = `export default () => { let seen = "nothing"; try { seen = String(injected); } catch {} return seen + typeof globalThis.injected; };`;
for (const [name, source] of Object.entries({
  "a closing brace": `${probe} }; globalThis.injected = 1; { `,
  "a closing brace and a new function": `${probe} return 1 }); (function () { globalThis.injected = 1; `,
  "a closing brace and an export": `}; globalThis.injected = 1; export default function () { return 1; `,
  "a closing brace behind a line comment": `${probe}\n//\n}; globalThis.injected = 1; {`,
  "a closing brace in a comment that is closed": `${probe} /* */ } globalThis.injected = 1; { /* */`,
  "an open comment": `${probe} /*`,
  "an open template": `${probe} \``,
  "an open template with a hole": `${probe} \`\${`,
  "an open string": `${probe} "`,
  "an open regular expression": `${probe} /x`,
  "a line comment at the end": `${probe} //`,
  "a line comment that ends in a line separator": `${probe} //\u2028;globalThis.injected = 1;`,
  "a line comment that ends in a carriage return": `${probe} //\r;globalThis.injected = 1;`,
  "an HTML comment": `${probe} <!-- x`,
  "the end of an HTML comment": `${probe}\n--> x`,
  "an HTML comment in an expression": `let a = 1, b = 2; const c = a<!--b; ${probe}`,
  "a hashbang": `#!/usr/bin/env node\n${probe}`,
  "a hashbang and a brace": `#!/usr/bin/env node }\n${probe}`,
  "a return": `return () => 1; ${probe}`,
  "a return in a block": `{ return () => 1; } ${probe}`,
  "a yield": `yield 1; ${probe}`,
  "an await": `await 1; ${probe}`,
  "an await as a name": `var await = 1; ${probe}`,
  "an await of a regular expression": `await /}/; ${probe}`,
  "a with statement": `with ({}) {} ${probe}`,
  "a sloppy directive": `"use sloppy"; const g = (function () { return this; })(); if (g) g.injected = 1; ${probe}`,
  "an octal literal": `const o = 010; ${probe}`,
  "a deleted name": `var v; delete v; ${probe}`,
  "a duplicate parameter": `function f(a, a) {} ${probe}`,
  "a globalThis of its own": `let globalThis = {}; ${probe}`,
  "a function named globalThis": `function globalThis() {} ${probe}`,
  "the name of the default export": `let $0000000 = 1; ${probe}`,
  "variables named as the host's": `var run = 1, view = 2, programs = 3, reply = 4, factory = 5, world = 6; ${probe}`,
  "a label named as a keyword of modules": `exports: for (;;) break exports; ${probe}`,
  "an export in a string": `const s = "export default () => 2"; ${probe}`,
  "an export in a template": `const s = \`\nexport default () => 2\n\`; ${probe}`,
  "an export in a regular expression": `const s = /export default/; ${probe}`,
  "an export in a comment": `/* export default */ // export { x as default }\n${probe}`,
  "an export as a property": `const o = { export: 1, default: 2 }; o.export; ${probe}`,
  "two default exports": `export default 1; ${probe}`,
  "a default export with a comment in it": `export default /* } */ () => "nothing";`,
  "a default export over lines": `export\n\ndefault\n() => "nothing";`,
  "a default export of a division": `const x = { valueOf: () => 4 }; export default ((a) => () => a / 2 / 1)(4);`,
  "a default export with escapes in its name": `export default function f\\u0061() { return "nothing"; }`,
  "a default export named as a string": `const f = () => "nothing"; export { f as "default" };`,
  "a list of exports with a comment": `const f = () => "nothing"; export { /* } */ f as default };`,
  "a list of exports and no semicolon": `const f = () => "nothing"\nexport { f as default }\n(0)`,
  "an anonymous class": `export default class { static PreToolUse() { return 1; } }`,
  "an anonymous generator": `export default function* () { yield 1; }`,
  "an async arrow": `export default async () => "nothing";`,
  "an async arrow of one name": `export default async event => "nothing";`,
  "an async function over lines": `export default async\nfunction f() {}`,
  "an import": `import x from "y"; ${probe}`,
  "a re-export": `export * from "y"; ${probe}`,
  "an import attribute": `import x from "y" with { type: "json" }; ${probe}`,
  "a source map and a source URL": `${probe}\n//# sourceURL=factory.js\n//# sourceMappingURL=data:,x`,
  "a very long line": `${probe} /*${"x".repeat(100_000)}*/`,
  "deep nesting": `${probe} ${"(".repeat(500)}1${")".repeat(500)};`,
  "a byte order mark": `\ufeff${probe}`,
  "a lone surrogate": `const s = "\ud800"; ${probe}`,
  "a NUL": `const s = "\0"; ${probe}`,
  "a name in another script": `const ｅｘｐｏｒｔ = 1; ${probe}`,
  "a module that exports itself": `export const a = 1; export let b = 2; export var c = 3; export function d() {} export class e {} export async function f() {} export { a as g }; ${probe}`,
})) {
  program(`text: ${name}`, source);
}
