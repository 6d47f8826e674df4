/** A program that recurses as many levels deep as it is asked to, while it is loaded or when it is called. */
export type Recursion = (levels: number) => string;

const nested =
  (open: string, inner: string, close: string, before = ""): Recursion =>
  (n) =>
    `${before}${open.repeat(n)}${inner}${close.repeat(n)};\nexport default () => 1;`;
const built =
  (from: string, step: string, use: string): Recursion =>
  (n) =>
    `export default () => { let x = ${from}; for (let i = 0; i < ${n}; i++) x = ${step}; try { ${use}; } catch {} };`;
const text =
  (open: string, inner: string, close: string, use: string): Recursion =>
  (n) =>
    `export default () => { const x = "${open}".repeat(${n}) + "${inner}" + "${close}".repeat(${n}); try { ${use}; } catch {} };`;
const again =
  (body: string): Recursion =>
  (n) =>
    `export default () => { let depth = 0; const more = () => depth++ < ${n}; ${body} };`;

/** By name; the largest users of V8's stack that are known, and one of each other kind. */
export const recursions: Readonly<Record<string, Recursion>> = {
  "load: index": nested("a[", "0", "]", "const a = [0]; const x = "),
  "load: optional index": nested("a?.[", "0", "]", "const a = {}; const x = "),
  "load: parentheses": nested("(", "0", ")", "const x = "),
  "load: and": nested("1 && (", "1", ")", "const x = "),
  "load: sum": nested("1 + (", "1", ")", "const x = "),
  "load: nullish": nested("1 ?? (", "1", ")", "const x = "),
  "load: comma": nested("(1,", "1", ")", "const x = "),
  "load: list": nested("[", "", "]", "const x = "),
  "load: object": nested("({ a: ", "1", "})", "const x = "),
  "load: computed key": nested("({ [", "1", "]: 1 })", "const x = "),
  "load: call": nested("f(", "1", ")", "const f = (x) => x; const x = "),
  "load: spread call": nested("f(...", "[]", ")", "const f = (...all) => all; const x = "),
  "load: import": nested("import(", "1", ")", "const x = () => "),
  "load: new": nested("new (", "Object", ")", "const x = "),
  "load: function": nested("function f() {", "", "}"),
  "load: function expression": nested("(function () { return ", "1", "})", "const x = "),
  "load: default of a function": nested("(function (a = ", "1", ") {})", "const x = "),
  "load: arrow": nested("() => ", "1", "", "const x = "),
  "load: default of an arrow": nested("(a = ", "1", ") => 1", "const x = "),
  "load: class": nested("class { static a = ", "1", "}", "const x = "),
  "load: class key": nested("class { static [", "1", "]() {} }", "const x = "),
  "load: private name": (n) =>
    `class A { #a; m() { return ${"(#a in ".repeat(n)}this${")".repeat(n)}; } } export default () => 1;`,
  "load: super": (n) =>
    `class A { m() { return ${"super[".repeat(n)}1${"]".repeat(n)}; } } export default () => 1;`,
  "load: template": nested("`${", "1", "}`", "const x = "),
  "load: assignment pattern": (n) =>
    `let a; (${"[".repeat(n)}a${"]".repeat(n)} = []); export default () => 1;`,
  "load: block": nested("{", "", "}"),
  "load: if": nested("if (1) ", "", ""),
  "load: try": nested("try {", "", "} catch {}"),
  "load: not": nested("!", "1", "", "const x = "),
  "load: power": nested("1 ** ", "1", "", "const x = "),
  "load: condition": nested("1 ? ", "1", " : 0", "const x = "),
  "load: pattern": nested("(?:", "a", ")", "const x = /a/; const y = "),
  "call: function": again("const f = () => { if (more()) f(); }; try { f(); } catch {}"),
  "call: constructor": again("class A { constructor() { if (more()) new A(); } } try { new A(); } catch {}"),
  "call: getter": again("const o = { get a() { return more() ? o.a : 0; } }; try { o.a; } catch {}"),
  "call: map": again("const f = () => { if (more()) [1].map(f); }; try { f(); } catch {}"),
  "call: sort": again("const f = () => { if (more()) [2, 1].sort(f); return 0; }; try { f(); } catch {}"),
  "call: replace": again(
    'const f = () => { if (more()) "a".replace(/a/g, f); return ""; }; try { f(); } catch {}',
  ),
  "call: toJSON": again(
    "const mk = () => ({ toJSON() { return more() ? [mk()] : 1; } }); try { JSON.stringify(mk()); } catch {}",
  ),
  "call: log": again(
    "const mk = () => ({ toJSON() { if (more()) console.log(mk()); return 1; } }); try { console.log(mk()); } catch {}",
  ),
  "call: generator": again("function* g() { if (more()) yield* g(); yield 1; } try { [...g()]; } catch {}"),
  "call: iterator helper": built("[1].values()", "x.map((v) => v)", "x.next()"),
  "call: bound function": built("() => 1", "x.bind(null)", "x()"),
  "call: proxy": built("{}", "new Proxy(x, {})", "x.a"),
  "call: proxy keys": built("{}", "new Proxy(x, {})", "Reflect.ownKeys(x)"),
  "call: proxy call": built("() => 1", "new Proxy(x, {})", "x()"),
  "call: flat": built("[]", "[x]", "x.flat(Infinity)"),
  "call: text of a list": built("[1]", "[x]", "String(x)"),
  "call: JSON of a list": built("[]", "[x]", "JSON.stringify(x)"),
  "call: JSON of an object": built("{}", "({ x })", "JSON.stringify(x)"),
  "call: JSON.parse": text("[", "", "]", "JSON.parse(x)"),
  "call: JSON.parse with reviver": text("[", "", "]", "JSON.parse(x, (key, value) => value)"),
  "call: pattern": text("(?:", "a", ")", "new RegExp(x)"),
  "call: look-ahead": text("(?=", "a", ")", "new RegExp(x).test('a')"),
};
