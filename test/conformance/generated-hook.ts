import fc from "fast-check";

/**
 * Hooks that nobody wrote: programs over an event, made of what hooks are made of. Every expression is evaluated on its
 * own, and what it gives or throws is in the answer, so that a difference names itself.
 */

const field = fc.constantFrom(
  "event.tool_name",
  "event.tool_input",
  "event.tool_input.command",
  "event.tool_input.list",
  "event.tool_input.missing",
  "event.tool_input?.env?.CI",
  "event.session_id",
  "event.n",
  "ctx.time",
  "ctx.state",
);

const text = fc.oneof(
  fc.constantFrom(
    "",
    "rm -rf",
    " ",
    "a",
    "ß",
    "İ",
    "\u{1F600}",
    "\ud800",
    "0x1f",
    "1e3",
    "-0",
    "null",
    "a,b,,c",
  ),
  fc.string({ maxLength: 12, unit: "binary" }),
);
const number = fc.oneof(
  fc.constantFrom(
    "0",
    "-0",
    "1",
    "NaN",
    "Infinity",
    "-1",
    "0.1",
    "1e21",
    "2 ** 53",
    "-(2 ** 31)",
    "255n",
    "-7n",
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => `(${JSON.stringify(value)})`),
);
/** Patterns that both engines take; what they find must be the same. */
const pattern = fc.constantFrom(
  "/\\brm\\s+-(?<flags>[a-z]+)/gu",
  "/(a|b)*?c?/y",
  "/^[\\w.-]+@[\\w.-]+$/m",
  "/(?<=\\s)-\\w+/g",
  "/[^\\x00-\\x7f]/u",
  "/(x)?(y)?/d",
  "/./gsu",
  "/\\p{Lu}\\p{Ll}*/gu",
  "/(?!b)a|(?:)/gi",
);

const literal = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  number,
  fc.constantFrom(
    "true",
    "null",
    "undefined",
    "[]",
    "{}",
    "[3, 1, , 2]",
    "[[1, [2]], 'x']",
    "{ a: 1, b: { c: [2] } }",
  ),
  pattern,
);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const e = tie("expression");
  const pair = (build: (a: string, b: string) => string): fc.Arbitrary<string> =>
    fc.tuple(e, e).map(([a, b]) => build(a, b));
  const one = (build: (a: string) => string): fc.Arbitrary<string> => e.map(build);
  const named = (
    names: readonly string[],
    build: (name: string, a: string, b: string) => string,
  ): fc.Arbitrary<string> =>
    fc.tuple(fc.constantFrom(...names), e, e).map(([name, a, b]) => build(name, a, b));
  return {
    expression: fc.oneof(
      { maxDepth: 3, depthIdentifier: "expression" },
      literal,
      field,
      named(
        [
          "+",
          "-",
          "*",
          "%",
          "**",
          "<",
          "<=",
          "==",
          "===",
          "&&",
          "||",
          "??",
          "&",
          "|",
          "^",
          "<<",
          ">>",
          ">>>",
          "in",
          "instanceof",
        ],
        (op, a, b) => (op === "**" ? `((${a}) ** (${b} > 40 ? 2 : 3))` : `((${a}) ${op} (${b}))`),
      ),
      named(["typeof ", "!", "-", "~", "void "], (op, a) => `(${op}(${a}))`),
      named(
        [
          "slice",
          "substring",
          "indexOf",
          "lastIndexOf",
          "includes",
          "startsWith",
          "endsWith",
          "charCodeAt",
          "codePointAt",
          "at",
          "split",
          "search",
          "match",
          "concat",
        ],
        (name, a, b) => `String(${a}).${name}(${b})`,
      ),
      named(["trim", "toWellFormed", "isWellFormed", "trimEnd"], (name, a) => `String(${a}).${name}()`),
      named(
        ["replace", "replaceAll"],
        (name, a, b) => `String(${a}).${name}(${b}, (...found) => "<" + found.slice(0, 2).join("|") + ">")`,
      ),
      fc
        .tuple(e, pattern)
        .map(
          ([a, re]) =>
            `[...String(${a}).matchAll(${re.replace(/\/([a-z]*)$/, (_, flags: string) => `/${flags.includes("g") ? flags : `${flags}g`}`)})].map((found) => [found.index, ...found, { ...found.groups }])`,
        ),
      fc
        .tuple(pattern, e)
        .map(
          ([re, a]) =>
            `((re) => [re.test(${a}), re.lastIndex, re.exec(${a})?.indices?.[0], re.flags])(${re})`,
        ),
      pair((a, b) => `String(${a}).padStart(20, ${b})`),
      named(
        ["map", "filter", "flatMap", "some", "every", "findLast", "findIndex", "find"],
        (name, a, b) => `Array.from(Object(${a})).${name}((value, index) => (${b}) ? [value, index] : value)`,
      ),
      named(
        ["toSorted", "toReversed", "flat", "join", "keys"],
        (name, a) => `[...Array.from(Object(${a})).${name}()]`,
      ),
      pair((a, b) => `[${a}, ${b}, 3].reduce((sum, value) => String(sum) + "/" + String(value), "")`),
      pair((a, b) => `[1, 2, 3, 4].with(1, ${a}).toSpliced(0, 1, ${b})`),
      named(
        ["keys", "values", "entries", "getOwnPropertyNames", "isFrozen", "freeze"],
        (name, a) => `Object.${name}(${a})`,
      ),
      pair((a, b) => `({ ...Object(${a}), z: ${b}, [String(${b}).slice(0, 8)]: 1 })`),
      pair((a, b) => `Object.groupBy([${a}, ${b}, 1], (value) => typeof value)`),
      pair((a, b) => `Object.is(${a}, ${b})`),
      one(
        (a) => `JSON.parse(JSON.stringify(${a}) ?? "0", (key, value) => (key === "b" ? undefined : value))`,
      ),
      pair((a, b) => `JSON.stringify({ a: ${a}, b: [${b}] }, null, 1)`),
      one((a) => `JSON.parse(String(${a}))`),
      pair((a, b) => `[...new Set([${a}, ${b}, ${a}])].length`),
      pair((a, b) => `[...new Map([[${a}, 1], [${b}, 2]])].map(([key, value]) => String(key) + value)`),
      named(
        ["floor", "round", "trunc", "sign", "abs", "clz32", "fround", "imul", "max", "min"],
        (name, a, b) => `Math.${name}(${a}, ${b})`,
      ),
      named(
        [
          "parseInt",
          "parseFloat",
          "Number",
          "String",
          "Boolean",
          "isNaN",
          "encodeURIComponent",
          "decodeURIComponent",
        ],
        (name, a) => `${name}(${a})`,
      ),
      one((a) => `Number(${a}).toFixed(3)`),
      one((a) => `(Number(${a}) | 0).toString(7)`),
      one((a) => `BigInt(${a}) ** 3n % 1000n`),
      one((a) => `BigInt.asIntN(16, BigInt(${a}))`),
      one((a) => `new Date(Number(${a})).toISOString()`),
      one(
        (a) =>
          `[new Date(2024, 1, 30, Number(${a})).getTime(), new Date("2024-02-29T12:00:00Z").getDay(), Date.UTC(2024, ${a})]`,
      ),
      one(() => `[Date.now(), new Date().toISOString(), Math.random(), Math.random()]`),
      pair((a, b) => `(({ a = ${a}, ...rest }) => [a, rest])(Object(${b}))`),
      pair((a, b) => `(([first = ${a}, , ...rest]) => [first, rest])(Array.from(Object(${b})))`),
      pair((a, b) => `[...(function* () { yield ${a}; try { yield* [${b}]; } finally { yield "end"; } })()]`),
      pair(
        (a, b) =>
          `new (class Box { #v = ${a}; static kind = "box"; get v() { return this.#v; } set v(value) { this.#v = [value]; } toJSON() { this.v = ${b}; return { v: this.v, kind: Box.kind }; } })()`,
      ),
      pair((a, b) => `(() => { try { return ${a}; } finally { if (${b}) return "finally"; } })()`),
      one(
        (a) =>
          `(() => { outer: for (const i of [1, 2, 3]) { for (const key in Object(${a})) { if (i === 2) continue outer; if (key === "1") break outer; } } return "done"; })()`,
      ),
      one(
        (a) =>
          `(() => { switch (${a}) { case 1: return "one"; case "a": case null: return "some"; default: return "none"; } })()`,
      ),
      one((a) => `Array.from(new Uint8Array([${a}, 256, -1, 1.5]))`),
      one((a) => `new DataView(new Float64Array([Number(${a}) || 0]).buffer).getUint32(4, true)`),
      one((a) => `structuredClone === undefined ? 0 : ${a}`),
      pair(
        (a, b) =>
          `Reflect.ownKeys(new Proxy({ x: ${a} }, { ownKeys: () => ["x", "y"], getOwnPropertyDescriptor: () => ({ value: ${b}, enumerable: true, configurable: true }) }))`,
      ),
      pair(
        (a, b) =>
          `((strings, ...values) => strings.raw.concat(values.map(String)))\`a\${${a}}\\u0041\${${b}}\``,
      ),
      one((a) => `null.x ?? ${a}`),
      one((a) => `(() => { throw new (class Odd extends RangeError { name = "Odd"; })(String(${a})); })()`),
    ),
  };
});

/** Source of a hook, as a module. */
export const hookSource: fc.Arbitrary<string> = fc
  .tuple(fc.array(expression, { minLength: 1, maxLength: 8 }), fc.boolean())
  .map(
    ([expressions, asynchronous]) => `
const say = (value) => {
  if (typeof value === "bigint") return "bigint " + value;
  if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0))) return "number " + (Object.is(value, -0) ? "-0" : value);
  if (typeof value === "function" || typeof value === "symbol") return typeof value;
  return value === undefined ? "undefined" : value;
};
const told = (error) => ({ threw: typeof error === "object" && error !== null ? error.name : String(error) });
export default ${asynchronous ? "async " : ""}(event, ctx) => {
  const out = [];
${expressions
  .map(
    (one) =>
      `  try { out.push(JSON.stringify(say(${asynchronous ? `await (async () => ${one})()` : one}), (key, value) => say(value))); } catch (error) { out.push(told(error)); }`,
  )
  .join("\n")}
  return { action: "notify", text: JSON.stringify(out) };
};
`,
  );

/** An event for it, as JSON. */
export const eventJson: fc.Arbitrary<string> = fc
  .record({
    hook_event_name: fc.constant("PreToolUse"),
    session_id: text.map((value) => value.toWellFormed()),
    tool_name: fc.constantFrom("Bash", "Read", "mcp__files__write"),
    n: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    tool_input: fc.record({
      command: fc.oneof(fc.constantFrom("rm -rf /", "git status", "a@b.c\nd"), text),
      list: fc.array(fc.oneof(fc.integer(), text, fc.constant(null)), { maxLength: 5 }),
      env: fc.option(fc.record({ CI: fc.constantFrom("1", "") }), { nil: undefined }),
    }),
  })
  .map((event) => JSON.stringify(event));
