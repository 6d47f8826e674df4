/**
 * Guest code: a function that freezes everything that programs in one realm share, and returns the prototype of the
 * objects that they get as their `globalThis`. It runs once in a realm, after the allow-list was applied and before any
 * code of a program. It throws if anything that a program can reach is not frozen afterwards.
 *
 * Objects that programs reach without making them are found from three kinds of roots: the properties of the global
 * object, what syntax and built-in functions create objects from, and whatever these lead to. The collection is not a
 * list of names, so that an intrinsic that a new version of V8 adds is frozen as well.
 */
export const freezeSource = `() => {
  "use strict";
  const { ownKeys, getOwnPropertyDescriptor, getPrototypeOf, defineProperty, apply } = Reflect;
  const { freeze, isFrozen } = Object;
  const NativeTypeError = TypeError;
  const global = globalThis;
  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  // ---- everything that is shared ---------------------------------------------------------------------------------
  const shared = new Set();
  const add = (value) => {
    if (isObject(value) && value !== global) shared.add(value);
  };
  const addLinks = (object) => {
    add(getPrototypeOf(object));
    for (const key of ownKeys(object)) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key);
      add(value);
      add(get);
      add(set);
    }
  };
  const thrownBy = (run) => {
    try {
      run();
    } catch (error) {
      return error;
    }
  };
  const prototypes = (...objects) => objects.forEach((object) => add(getPrototypeOf(object)));
  const generator = function* () {};
  const asyncGenerator = async function* () {};
  prototypes(function () {}, async function () {}, generator, asyncGenerator, class {}, {}, [], /x/);
  prototypes(generator.prototype, asyncGenerator.prototype, generator(), asyncGenerator());
  prototypes([].values(), ""[Symbol.iterator](), new Map().keys(), new Set().keys(), "".matchAll(/x/g));
  prototypes([].values().map((item) => item), [].values().flatMap((item) => [item]), Iterator.from({ next() {} }));
  prototypes(Uint8Array, Promise.resolve(), new Proxy({}, {}), Object(Symbol()), Object(1n));
  prototypes(thrownBy(() => null.x), thrownBy(() => missing), thrownBy(() => new Array(-1)), thrownBy(() => JSON.parse("{")));
  const overflow = () => overflow() + 1;
  prototypes(thrownBy(overflow));
  // Accessors and functions that the language puts on objects that it makes.
  const made = [
    (function () { return arguments; })(),
    new Error("x"),
    new AggregateError([]),
    /(?<name>x)/d.exec("x"),
    ((strings) => strings)\`x\`,
  ];
  for (const object of made) {
    for (const key of ownKeys(object)) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key);
      if (typeof value === "function") add(value);
      add(get);
      add(set);
    }
  }
  addLinks(global);
  // A set is iterated with what is added to it meanwhile.
  for (const object of shared) addLinks(object);

  // ---- properties that heirs may still set ------------------------------------------------------------------------
  // Where an inherited property is read-only, an assignment to an heir fails, and \`error.name = "X"\` or
  // \`Type.prototype.toString = ...\` is in many packages. Such properties of prototypes become accessors that define
  // the property on the heir. Left out is what V8 has fast paths for: methods of these prototypes, symbols, and the
  // \`constructor\` that decides on species.
  const kept = new Map([
    [Array.prototype, ["toString"]],
    [Promise.prototype, ["constructor"]],
    [RegExp.prototype, ["toString"]],
    [String.prototype, ["constructor", "toString"]],
    [Map.prototype, ["constructor", "toString"]],
    [Set.prototype, ["constructor", "toString"]],
  ]);
  const isSettable = (object, key) => {
    if (typeof key === "symbol") return key === Symbol.toStringTag;
    return kept.has(object) ? kept.get(object).includes(key) : true;
  };
  const makeSettable = (object, key, value) => {
    const { get, set } = {
      get() {
        return value;
      },
      set(replacement) {
        if (this === object || !isObject(this)) throw new NativeTypeError("cannot assign to read only property of a built-in object");
        const descriptor = { __proto__: null, value: replacement, writable: true, enumerable: true, configurable: true };
        if (!defineProperty(this, key, descriptor)) throw new NativeTypeError("cannot assign to read only property");
      },
    };
    freeze(get);
    freeze(set);
    return { get, set };
  };
  for (const object of shared) {
    const keys = ownKeys(object);
    const isPrototype = keys.includes("constructor");
    if (!isPrototype) continue;
    for (const key of keys) {
      const { value, writable, configurable, enumerable } = getOwnPropertyDescriptor(object, key);
      if (!writable || !configurable || !isSettable(object, key)) continue;
      defineProperty(object, key, { __proto__: null, ...makeSettable(object, key, value), enumerable, configurable: false });
    }
  }

  // ---- the global object ------------------------------------------------------------------------------------------
  // Programs get an heir of this as \`globalThis\`: what they set becomes the heir's own, and goes with it.
  const view = { __proto__: Object.prototype };
  for (const key of ownKeys(global)) {
    if (key === "globalThis") continue;
    const accessors = makeSettable(view, key, global[key]);
    defineProperty(view, key, { __proto__: null, ...accessors, enumerable: false, configurable: false });
  }
  delete global.globalThis;
  shared.add(view);
  shared.add(global);

  for (const object of shared) freeze(object);
  for (const object of shared) {
    if (!isFrozen(object)) throw new NativeTypeError("an object that programs share is not frozen");
  }
  return view;
}`;
