/** One object that a guest can reach. */
export interface Found {
  /** Name of the intrinsic, of the sample, or the way from one of them. */
  readonly path: string;
  readonly type: "object" | "function";
  /** Own keys; a symbol is `@@` and its description. */
  readonly keys: readonly string[];
}

/**
 * A program that lists every object that a guest can reach: from the global object, from syntax, and from objects that
 * the language makes, through every property, accessor and prototype.
 */
export const exploreSource = `
  const names = new Map();
  const queue = [];
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  const add = (value, path) => {
    if (!isObject(value) || names.has(value)) return;
    names.set(value, path);
    queue.push(value);
  };
  const nameOf = (key) => (typeof key === "symbol" ? "@@" + String(key.description) : key);
  const protoOf = Object.getPrototypeOf;
  const thrownBy = (fn) => {
    try {
      fn();
    } catch (error) {
      return error;
    }
    throw new Error("did not throw");
  };

  // In a frozen realm it inherits all but its own name from an object with accessors.
  const inherited = protoOf(globalThis) === Object.prototype ? [] : Reflect.ownKeys(protoOf(globalThis));
  add(globalThis, "globalThis");
  for (const key of [...Reflect.ownKeys(globalThis), ...inherited]) {
    const value = globalThis[key];
    add(value, nameOf(key));
    if (typeof value === "function" && typeof key === "string") add(value.prototype, key + ".prototype");
  }
  async function asyncFunction() {}
  function* generatorFunction() {}
  async function* asyncGeneratorFunction() {}
  for (const [name, fn] of [["Async", asyncFunction], ["Generator", generatorFunction], ["AsyncGenerator", asyncGeneratorFunction]]) {
    add(protoOf(fn).constructor, "%" + name + "Function%");
    add(protoOf(fn), "%" + name + "Function.prototype%");
  }
  add(protoOf(generatorFunction).prototype, "%GeneratorPrototype%");
  add(protoOf(asyncGeneratorFunction).prototype, "%AsyncGeneratorPrototype%");
  add(protoOf(protoOf(asyncGeneratorFunction).prototype), "%AsyncIteratorPrototype%");
  add(protoOf([].values()), "%ArrayIteratorPrototype%");
  add(protoOf(""[Symbol.iterator]()), "%StringIteratorPrototype%");
  add(protoOf(new Map().entries()), "%MapIteratorPrototype%");
  add(protoOf(new Set().entries()), "%SetIteratorPrototype%");
  add(protoOf("".matchAll(/x/g)), "%RegExpStringIteratorPrototype%");
  add(protoOf([].values().map((item) => item)), "%IteratorHelperPrototype%");
  add(protoOf(Iterator.from({ next() {} })), "%WrapForValidIteratorPrototype%");
  add(protoOf(Uint8Array), "%TypedArray%");
  add(protoOf(Uint8Array.prototype), "%TypedArray%.prototype");

  export default function (...args) {
    (function () {
      "use strict";
      add(arguments, "arguments");
      add(Reflect.getOwnPropertyDescriptor(arguments, "callee")?.get, "%ThrowTypeError%");
    })();
    add(args[0], "event");
    add(args[1], "context");
    add(import.meta, "import.meta");
    add(((strings) => strings)\`a\${1}b\`, "template");
    add(function () {}, "function");
    add(() => {}, "arrow");
    add({ m() {} }.m, "method");
    add(class {}, "class");
    add(asyncFunction, "async function");
    add(generatorFunction, "generator function");
    add(asyncGeneratorFunction, "async generator function");
    add(generatorFunction(), "generator");
    add(asyncGeneratorFunction(), "async generator");
    add(asyncFunction(), "promise");
    add(new Error("x", { cause: 1 }), "new Error");
    add(new AggregateError([]), "new AggregateError");
    add(thrownBy(() => null.x), "TypeError of the engine");
    add(thrownBy(() => x), "ReferenceError of the engine");
    add(thrownBy(() => new Array(-1)), "RangeError of the engine");
    add(thrownBy(() => JSON.parse("{")), "SyntaxError of JSON.parse");
    add(thrownBy(() => new RegExp("(")), "SyntaxError of RegExp");
    add(thrownBy(() => decodeURI("%")), "URIError of the engine");
    add(thrownBy(() => { const f = () => f() + 1; f(); }), "error of the stack");
    add(thrownBy(() => eval("1")), "error of eval");
    add(thrownBy(() => "ab".repeat(2 ** 30)), "error of a length");
    add(/(?<name>x)/d.exec("x"), "match");
    add(new Proxy({}, {}), "proxy");
    add(Proxy.revocable({}, {}), "revocable");
    add(Promise.withResolvers(), "resolvers");
    add([].values().take(1), "iterator helper");
    add(new Uint8Array(1), "typed array");
    add(new Uint8Array(1).buffer, "buffer");
    add(Object.getOwnPropertyDescriptor({ a: 1 }, "a"), "descriptor");
    add(new Date(), "date");
    const found = [];
    for (let at = 0; at < queue.length; at++) {
      const object = queue[at];
      const path = names.get(object);
      const own = Reflect.ownKeys(object);
      const keys = path === "globalThis" ? [...own, ...inherited] : own;
      found.push({ path, type: typeof object, keys: keys.map(nameOf) });
      for (const key of own) {
        const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
        add(value, path + "." + nameOf(key));
        add(get, path + "." + nameOf(key) + " (get)");
        add(set, path + "." + nameOf(key) + " (set)");
      }
      add(protoOf(object), path + " (prototype)");
    }
    return found;
  }
`;
