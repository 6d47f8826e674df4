// Runs inside the guest, before any code of a hook, as a sloppy script whose completion value is a function.
// It captures the intrinsics that it needs, takes away what the allow-list does not name, and makes the world of the
// guest deterministic. After that it uses captured intrinsics only: a hook that patches `JSON.stringify` or
// `Promise.prototype.then` deceives only itself.
//
// The reply of a call is one string: a tag, the number of dropped log lines if there are any, the log as JSON if there is
// one, a newline, the body.
//   v  value, the body is its JSON          u  undefined or null
//   t  threw, the body is a JSON string     n  the value has no JSON
//      and, on a line of its own, the
//      frames of its stack as another one
//   o  over the budget of bytes             h  there is no such handler
//   d  deeper than the budget
//   p  waits for a promise; ask again with `poll` after running jobs
//
// No template literals in what runs during a call: QuickJS looks `concat` of strings up for them. No array of the prelude
// is given to `stringify` either: QuickJS keeps the objects that it is writing in a list that a setter on
// `Array.prototype` can get hold of.
//
// Any call may throw a RangeError, because a hook can come here with its stack nearly used up. State is therefore
// computed first and assigned afterwards, with no call between two assignments that belong together.
(function (permits) {
  "use strict";
  const {
    apply,
    construct,
    defineProperty,
    deleteProperty,
    getOwnPropertyDescriptor,
    ownKeys,
    getPrototypeOf,
  } = Reflect;
  const { setPrototypeOf } = Reflect;
  const { hasOwnProperty } = Object.prototype;
  const { parse, stringify } = JSON;
  const NativeArrayBuffer = ArrayBuffer;
  const NativeDate = Date;
  const NativePromise = Promise;
  const NativeString = String;
  const NativeTypeError = TypeError;
  const promiseThen = Promise.prototype.then;
  const slice = String.prototype.slice;
  const functionToString = Function.prototype.toString;
  const isArray = Array.isArray;
  const indexOf = String.prototype.indexOf;
  const WeakSetHas = WeakSet.prototype.has;
  const WeakSetAdd = WeakSet.prototype.add;
  const hidden = new WeakSet();
  const global = globalThis;

  // State of the call that is running. Every call starts from the same image, so nothing here outlives a call.
  let sleeping = "";
  let now = 0;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let mixed = false;
  let logText = "";
  let logLeft = 0;
  let logDropped = 0;
  let logBytes = 0;
  let outputBytes = 0;
  let outputDepth = 0;
  let innermost = null;
  let tooDeep = false;
  let textLeft = 0;
  let deepest = null;
  let descent = 0;
  const hopelessDepth = 512;
  const hopeless = { __proto__: null };
  let answer = "";
  let settled = false;
  let exported;

  const hide = (fn, name, length) => {
    defineProperty(fn, "name", { value: name, writable: false, enumerable: false, configurable: true });
    defineProperty(fn, "length", { value: length, writable: false, enumerable: false, configurable: true });
    apply(WeakSetAdd, hidden, [fn]);
    return fn;
  };
  const set = (target, key, value) =>
    defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const method = (target, key, length, fn) =>
    set(target, key, hide(fn, typeof key === "string" ? key : "", length));

  // A constructor that stands before the native one. `fn` must not use `this`.
  const wrap = (Native, fn, without = []) => {
    hide(fn, Native.name, Native.length);
    const keys = ownKeys(Native);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === "name" || keys[i] === "length" || without.includes(keys[i])) continue;
      defineProperty(fn, keys[i], getOwnPropertyDescriptor(Native, keys[i]));
    }
    set(Native.prototype, "constructor", fn);
    set(global, Native.name, fn);
    return fn;
  };

  // ---- no code from strings, by every constructor path ----------------------------------------------------------
  const refuse = (name) =>
    hide(
      function () {
        throw new NativeTypeError("code generation from strings is not allowed");
      },
      name,
      1,
    );
  const functionKinds = [
    [Function.prototype, "Function"],
    [getPrototypeOf(async function () {}), "AsyncFunction"],
    [getPrototypeOf(function* () {}), "GeneratorFunction"],
    [getPrototypeOf(async function* () {}), "AsyncGeneratorFunction"],
  ];
  for (let i = 0; i < functionKinds.length; i++) {
    const [prototype, name] = functionKinds[i];
    const stand = refuse(name);
    defineProperty(stand, "prototype", {
      value: prototype,
      writable: false,
      enumerable: false,
      configurable: false,
    });
    defineProperty(prototype, "constructor", {
      value: stand,
      writable: i === 0,
      enumerable: false,
      configurable: true,
    });
    if (i === 0) set(global, "Function", stand);
  }
  // Not a constructor, so that it has no prototype.
  const refuseEval = () => {
    throw new NativeTypeError("code generation from strings is not allowed");
  };
  method(global, "eval", 1, refuseEval);

  // ---- time and chance ------------------------------------------------------------------------------------------
  // Most hooks ask neither for the time nor for chance, so the numbers are read when one does.
  const wake = () => {
    const numbers = parse(sleeping);
    now = numbers[0];
    s0 = numbers[1] | 0;
    s1 = numbers[2] | 0;
    s2 = numbers[3] | 0;
    s3 = numbers[4] | 0;
    mixed = false;
    sleeping = "";
  };
  const GuestDate = wrap(NativeDate, function (...args) {
    if (sleeping !== "") wake();
    if (new.target === undefined) return apply(dateText, new NativeDate(now), []);
    if (args.length === 0) return construct(NativeDate, [now], new.target);
    return construct(NativeDate, args, new.target);
  });
  method(GuestDate, "now", 0, () => {
    if (sleeping !== "") wake();
    return now;
  });
  // One of the engines writes the name of the zone behind its offset.
  const withoutZone = (native) =>
    ({
      f() {
        const text = apply(native, this, []);
        const end = apply(indexOf, text, [" ("]);
        return end < 0 ? text : apply(slice, text, [0, end]);
      },
    }).f;
  const dateText = withoutZone(NativeDate.prototype.toString);
  method(NativeDate.prototype, "toString", 0, dateText);
  method(NativeDate.prototype, "toTimeString", 0, withoutZone(NativeDate.prototype.toTimeString));

  // sfc32, a small generator that passes the usual statistical batteries once it has taken its seed in; that comes from
  // the host. No calls inside, so that it either takes a whole step or none.
  method(Math, "random", 0, () => {
    if (sleeping !== "") wake();
    let t = 0;
    for (let rounds = mixed ? 1 : 13; rounds > 0; rounds--) {
      t = (((s0 + s1) | 0) + s3) | 0;
      s3 = (s3 + 1) | 0;
      s0 = s1 ^ (s1 >>> 9);
      s1 = (s2 + (s2 << 3)) | 0;
      s2 = (s2 << 21) | (s2 >>> 11);
      s2 = (s2 + t) | 0;
    }
    mixed = true;
    return (t >>> 0) / 4294967296;
  });

  // ---- one locale: none. The engines differ in theirs, and a locale would tell of the host -----------------------
  const toUpperCase = String.prototype.toUpperCase;
  const toLowerCase = String.prototype.toLowerCase;
  const numberToString = Number.prototype.toString;
  const bigintToString = BigInt.prototype.toString;
  const toISOString = Date.prototype.toISOString;
  method(
    String.prototype,
    "localeCompare",
    1,
    {
      localeCompare(that) {
        const a = NativeString(this);
        const b = NativeString(that);
        return a < b ? -1 : a > b ? 1 : 0;
      },
    }.localeCompare,
  );
  method(
    String.prototype,
    "toLocaleUpperCase",
    0,
    {
      f() {
        return apply(toUpperCase, this, []);
      },
    }.f,
  );
  method(
    String.prototype,
    "toLocaleLowerCase",
    0,
    {
      f() {
        return apply(toLowerCase, this, []);
      },
    }.f,
  );
  method(
    Number.prototype,
    "toLocaleString",
    0,
    {
      f() {
        return apply(numberToString, this, []);
      },
    }.f,
  );
  method(
    BigInt.prototype,
    "toLocaleString",
    0,
    {
      f() {
        return apply(bigintToString, this, []);
      },
    }.f,
  );
  const isoPart = (from, to) =>
    ({
      f() {
        return apply(slice, apply(toISOString, this, []), [from, to]);
      },
    }).f;
  method(NativeDate.prototype, "toLocaleString", 0, isoPart(0, 24));
  method(NativeDate.prototype, "toLocaleDateString", 0, isoPart(0, 10));
  method(NativeDate.prototype, "toLocaleTimeString", 0, isoPart(11, 19));

  // ---- the console ----------------------------------------------------------------------------------------------
  // JSON of at most about `budget` characters, at a cost in proportion to them: `stringify` would walk all of a value, and
  // a list of a billion holes is one expression. What is too long is simply cut off.
  const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
  const typedArrayKind = getOwnPropertyDescriptor(typedArrayPrototype, Symbol.toStringTag).get;
  const typedArrayLength = getOwnPropertyDescriptor(typedArrayPrototype, "length").get;
  const stringValue = String.prototype.valueOf;
  const hugeBigint = 2n ** 1024n;
  const deepestLogged = 32;
  const describePrimitive = (value, budget) => {
    if (typeof value === "string") return quote(apply(slice, value, [0, budget]));
    if (typeof value === "number") return value - value === 0 ? NativeString(value) : "null";
    if (typeof value === "bigint") return describeBigint(value);
    return typeof value === "boolean" || value === null ? NativeString(value) : undefined;
  };
  const describeBigint = (value) =>
    value < hugeBigint && value > -hugeBigint ? NativeString(value) : "[bigint]";
  // Boxed strings have a key for each character.
  const unboxed = (value) => {
    if (getOwnPropertyDescriptor(value, "length") === undefined) return value;
    try {
      return apply(stringValue, value, []);
    } catch {
      return value;
    }
  };
  // `undefined` for what JSON leaves out. `holders` is the path from the logged value down to this one.
  const describeValue = (value, key, budget, holders) => {
    if ((typeof value === "object" && value !== null) || typeof value === "bigint") {
      const { toJSON } = value;
      if (typeof toJSON === "function") value = apply(toJSON, value, [key]);
    }
    if (typeof value !== "object" || value === null) return describePrimitive(value, budget);
    const depth = holders === null ? 1 : holders.depth + 1;
    for (let holder = holders; holder !== null; holder = holder.outer) {
      if (holder.object === value) return '"[circular]"';
    }
    if (depth > deepestLogged) return isArray(value) ? '"[array]"' : '"[object]"';
    const path = { __proto__: null, object: value, outer: holders, depth };
    if (isArray(value)) return describeItems(value, budget, path);
    if (apply(typedArrayKind, value, []) !== undefined) return describeBytes(value, budget);
    const text = unboxed(value);
    return typeof text === "string"
      ? quote(apply(slice, text, [0, budget]))
      : describeMembers(value, budget, path);
  };
  const describeItems = (list, budget, path) => {
    const { length } = list;
    let text = "[";
    for (let i = 0; i < length && text.length <= budget; i++) {
      if (i > 0) text += ",";
      text += describeValue(list[i], NativeString(i), budget - text.length, path) ?? "null";
    }
    return text + "]";
  };
  const describeBytes = (array, budget) => {
    const length = apply(typedArrayLength, array, []);
    let text = "{";
    for (let i = 0; i < length && text.length <= budget; i++) {
      text += (i > 0 ? "," : "") + '"' + i + '":' + describePrimitive(array[i], budget);
    }
    return text + "}";
  };
  const describeMembers = (object, budget, path) => {
    const keys = ownKeys(object);
    let text = "{";
    // Keys that are not written cost something as well.
    for (let i = 0; i < keys.length && text.length + i <= budget + 64; i++) {
      const key = keys[i];
      if (typeof key !== "string" || !getOwnPropertyDescriptor(object, key)?.enumerable) continue;
      const member = describeValue(object[key], key, budget - text.length, path);
      if (member === undefined) continue;
      text += (text === "{" ? "" : ",") + quote(apply(slice, key, [0, budget])) + ":" + member;
    }
    return text + "}";
  };
  const describe = (value, budget) => {
    let text;
    if (typeof value === "string") text = value;
    else if (typeof value === "object" && value !== null) {
      try {
        text = describeValue(value, "", budget, null);
      } catch {
        text = undefined;
      }
      if (text === undefined || text === "{}") text = describeError(value) ?? text ?? "[object]";
    } else if (typeof value === "function") text = "[function]";
    else text = typeof value === "bigint" ? describeBigint(value) : NativeString(value);
    return apply(slice, text, [0, budget]);
  };
  const describeError = (value) => {
    try {
      const { name, message } = value;
      if (typeof message !== "string") return undefined;
      return (
        (typeof name === "string" ? apply(slice, name, [0, 100]) : "Error") +
        ": " +
        apply(slice, message, [0, 1000])
      );
    } catch {
      return undefined;
    }
  };
  const quote = (text) => stringify(text);
  const write = (level, args) => {
    if (logLeft <= 0) {
      logDropped++;
      return;
    }
    let line = "";
    for (let i = 0; i < args.length && line.length <= logLeft; i++) {
      line += (i ? " " : "") + describe(args[i], logLeft);
    }
    // What was logged may have logged while it was described.
    if (logLeft <= 0) {
      logDropped++;
      return;
    }
    line = apply(slice, line, [0, logLeft]);
    const text = logText + (logText === "" ? '["' : ',["') + level + '",' + quote(line) + "]";
    const left = logLeft - line.length - 1;
    logText = text;
    logLeft = left < 0 ? 0 : left;
  };
  const console = {};
  const levels = ["debug", "log", "info", "warn", "error"];
  for (let i = 0; i < levels.length; i++) {
    const level = levels[i];
    method(console, level, 0, (...args) => write(level, args));
  }
  set(global, "console", console);

  // ---- what would reach beyond the call ---------------------------------------------------------------------------
  // Memory that a buffer grows into later is invisible to the limit of one of the engines.
  wrap(NativeArrayBuffer, function (length) {
    if (new.target === undefined) throw new NativeTypeError("ArrayBuffer is a constructor");
    return construct(NativeArrayBuffer, [length], new.target);
  });

  // Where one native iterator asks another for its next value, QuickJS calls it without looking at the stack limit, so
  // that a chain of helpers can run through the whole stack. It looks where a function of the guest's world is between.
  const guardSteps = (prototype, names) => {
    for (let i = 0; i < names.length; i++) {
      const native = prototype[names[i]];
      const guarded = {
        f() {
          return apply(native, this, []);
        },
      }.f;
      method(prototype, names[i], native.length, guarded);
    }
  };
  guardSteps(getPrototypeOf([][Symbol.iterator]().map((item) => item)), ["next", "return"]);
  guardSteps(getPrototypeOf(Iterator.from({ next() {} })), ["next", "return"]);

  // What one of the engines lacks cannot be taken away from its native place.
  const NativeSymbol = Symbol;
  const GuestSymbol = wrap(
    NativeSymbol,
    function (...args) {
      if (new.target !== undefined) throw new NativeTypeError("Symbol is not a constructor");
      return args.length === 0 ? NativeSymbol() : NativeSymbol(args[0]);
    },
    ["dispose", "asyncDispose"],
  );

  // The native registry belongs to the engine, not to the context: it outlives the call, and no memory limit counts it.
  const NativeMap = Map;
  let symbols = new NativeMap();
  const { get: mapGet, set: mapSet } = Map.prototype;
  const descriptionOf = getOwnPropertyDescriptor(NativeSymbol.prototype, "description").get;
  method(GuestSymbol, "for", 1, (key) => {
    if (typeof key === "symbol") throw new NativeTypeError("a symbol is no key");
    const name = NativeString(key);
    let symbol = apply(mapGet, symbols, [name]);
    if (symbol === undefined) {
      symbol = NativeSymbol(name);
      apply(mapSet, symbols, [name, symbol]);
    }
    return symbol;
  });
  method(GuestSymbol, "keyFor", 1, (symbol) => {
    if (typeof symbol !== "symbol") throw new NativeTypeError("not a symbol");
    const name = apply(descriptionOf, symbol, []);
    return apply(mapGet, symbols, [name]) === symbol ? name : undefined;
  });

  // The bits of a NaN tell whether optimised code computed it, and so what ran before.
  const writeCanonicalNaN = (name) => {
    const native = DataView.prototype[name];
    const write = {
      f(offset, value, littleEndian) {
        const number = +value;
        return apply(native, this, [offset, number === number ? number : NaN, littleEndian]);
      },
    }.f;
    method(DataView.prototype, name, native.length, write);
  };

  // Where a hook could learn of the frames below it, there is nothing, and setting it does nothing. An accessor,
  // because libraries set it and must not fail.
  defineProperty(Error, "prepareStackTrace", {
    get: hide(() => undefined, "get prepareStackTrace", 0),
    set: hide(() => undefined, "set prepareStackTrace", 1),
    enumerable: false,
    configurable: false,
  });

  // An engine's own kind of error is a RangeError to the guest: it is thrown where a limit was reached.
  const internalError = global.InternalError?.prototype;
  if (internalError) {
    const keys = ownKeys(internalError);
    for (let i = 0; i < keys.length; i++) deleteProperty(internalError, keys[i]);
    setPrototypeOf(internalError, RangeError.prototype);
  }
  // One of the engines has an object of its own between the global one and `Object.prototype`.
  setPrototypeOf(global, Object.prototype);

  // ---- functions of the prelude look like any built-in ----------------------------------------------------------
  method(
    Function.prototype,
    "toString",
    0,
    {
      toString() {
        if (typeof this === "function" && apply(WeakSetHas, hidden, [this])) {
          return "function " + (getOwnPropertyDescriptor(this, "name")?.value ?? "") + "() { [native code] }";
        }
        return apply(functionToString, this, []);
      },
    }.toString,
  );

  // ---- the allow-list -------------------------------------------------------------------------------------------
  // These run before any code of a hook, so they may use what is not captured.
  const nameOf = (key) => (typeof key === "symbol" ? `@@${NativeString(key.description)}` : key);
  const roots = {
    __proto__: null,
    "%AsyncFunction%": functionKinds[1][0].constructor,
    "%AsyncFunction.prototype%": functionKinds[1][0],
    "%GeneratorFunction%": functionKinds[2][0].constructor,
    "%GeneratorFunction.prototype%": functionKinds[2][0],
    "%GeneratorPrototype%": functionKinds[2][0].prototype,
    "%AsyncGeneratorFunction%": functionKinds[3][0].constructor,
    "%AsyncGeneratorFunction.prototype%": functionKinds[3][0],
    "%AsyncGeneratorPrototype%": functionKinds[3][0].prototype,
    "%AsyncIteratorPrototype%": getPrototypeOf(functionKinds[3][0].prototype),
    "%ArrayIteratorPrototype%": getPrototypeOf([][Symbol.iterator]()),
    "%StringIteratorPrototype%": getPrototypeOf(""[Symbol.iterator]()),
    "%MapIteratorPrototype%": getPrototypeOf(new Map()[Symbol.iterator]()),
    "%SetIteratorPrototype%": getPrototypeOf(new Set()[Symbol.iterator]()),
    "%RegExpStringIteratorPrototype%": getPrototypeOf(/x/[Symbol.matchAll]("")),
    "%TypedArray%": getPrototypeOf(Uint8Array),
    "%TypedArray%.prototype": getPrototypeOf(Uint8Array.prototype),
    "%IteratorHelperPrototype%": getPrototypeOf([][Symbol.iterator]().map((item) => item)),
    "%WrapForValidIteratorPrototype%": getPrototypeOf(Iterator.from({ next() {} })),
  };
  const objectAt = (path) => {
    if (path === "globalThis") return global;
    if (path in roots) return roots[path];
    return path.endsWith(".prototype") ? global[path.slice(0, -10)].prototype : global[path];
  };
  // V8 adds `setFloat16` to a context after it was made from a snapshot.
  const writeCanonicalNaNs = () => ["setFloat16", "setFloat32", "setFloat64"].forEach(writeCanonicalNaN);
  const take = (target, key) => {
    if (!deleteProperty(target, key)) throw new NativeTypeError(`cannot take ${nameOf(key)} away`);
  };
  // Removes what the table does not name, and returns what that was: by path, a list of names.
  const confine = (permits) => {
    writeCanonicalNaNs();
    const taken = {};
    for (const path of ownKeys(permits)) {
      const target = objectAt(path);
      const allowed = new Set(permits[path]);
      for (const key of ownKeys(target)) {
        if (allowed.has(nameOf(key))) continue;
        take(target, key);
        (taken[path] ??= []).push(nameOf(key));
      }
    }
    return taken;
  };
  // The same with less work, for a world that is known to be like one that was confined.
  const remove = (taken) => {
    writeCanonicalNaNs();
    for (const path of ownKeys(taken)) {
      const target = objectAt(path);
      for (const name of taken[path]) {
        const key = name.startsWith("@@") ? ownKeys(target).find((key) => nameOf(key) === name) : name;
        take(target, key);
      }
    }
  };
  if (permits) confine(permits);

  // ---- calls ----------------------------------------------------------------------------------------------------
  // The replacer of the answer: watches its texts and its depth while it is written. `JSON.stringify` goes depth first, so
  // the objects from the answer down to the holder of this value are a list that only changes at its end. How much of an
  // answer is written that will not be handed out is a matter of the limits of memory, steps and time, but for two kinds:
  // texts beyond the budget, and a depth at which engines begin to search for cycles in quadratic time.
  const measure = function (key, value) {
    if (typeof value === "string") {
      textLeft -= value.length;
      if (textLeft < 0) throw hopeless;
      return value;
    }
    if (typeof value !== "object" || value === null) return value;
    if (tooDeep) {
      // What matters from here on is whether it goes on straight down, and that needs no list.
      descent = this === deepest ? descent + 1 : 0;
      deepest = value;
      if (descent > hopelessDepth) throw hopeless;
      return value;
    }
    while (innermost !== null && innermost.object !== this) innermost = innermost.outer;
    const depth = innermost === null ? 1 : innermost.depth + 1;
    if (depth > outputDepth) {
      tooDeep = true;
      deepest = value;
    }
    innermost = { __proto__: null, object: value, outer: innermost, depth };
    return value;
  };
  // Whether plain data nests beyond the budget, along its first or last branch; asks no getter.
  const nestsTooDeep = (value) => {
    try {
      for (let depth = 1; typeof value === "object" && value !== null; depth++) {
        if (depth > outputDepth) return true;
        const keys = ownKeys(value);
        // The last own key of an array is its length.
        const key = keys[isArray(value) ? keys.length - 2 : keys.length - 1];
        value = getOwnPropertyDescriptor(value, key)?.value;
      }
    } catch {
      // A proxy that is in the way.
    }
    return false;
  };
  const reply = (tag, body) => {
    const head = logDropped > 0 ? tag + logDropped : tag;
    return (logText === "" ? head : head + "[" + logText + "]") + "\n" + body;
  };
  // The frames of an error's stack, for the place of the fault. V8 has an accessor of its own in each error; a getter of the
  // guest's is not asked.
  const stackGetter = getOwnPropertyDescriptor(new NativeTypeError(""), "stack")?.get;
  const framesOf = (error) => {
    if (typeof error !== "object" || error === null) return "";
    try {
      const found = getOwnPropertyDescriptor(error, "stack");
      if (found === undefined) return "";
      let text;
      if (apply(hasOwnProperty, found, ["value"])) text = found.value;
      else if (stackGetter !== undefined && found.get === stackGetter) text = apply(stackGetter, error, []);
      if (typeof text !== "string") return "";
      // V8 puts the message first, which may be longer than what is kept.
      const first = apply(slice, text, [0, 7]) === "    at " ? 0 : apply(indexOf, text, ["\n    at "]);
      return first < 0 ? "" : apply(slice, text, [first, first + 1500]);
    } catch {
      return "";
    }
  };
  // Two lines: the error and its frames, each as a JSON string.
  const describeThrown = (error) => {
    let text;
    if (typeof error === "object" && error !== null) text = describeError(error) ?? "a thrown object";
    else if (typeof error === "function") text = "a thrown function";
    else text = NativeString(error);
    return quote(apply(slice, text, [0, 1000])) + "\n" + quote(framesOf(error));
  };
  const threw = (error) => reply("t", describeThrown(error));
  const encode = (value) => {
    if (value === undefined || value === null) return reply("u", "");
    let body;
    try {
      body = stringify(value, measure);
    } catch (error) {
      if (textLeft < 0) return reply("o", "");
      if (tooDeep && nestsTooDeep(value)) return reply("d", "");
      return threw(error === hopeless ? "the answer nests without end" : error);
    }
    if (body === undefined) return reply("n", "");
    // The host counts the bytes; what is too long even as code units need not go there.
    if (body.length > outputBytes) return reply("o", "");
    return tooDeep ? reply("d", "") : reply("v", body);
  };
  const settle = (text) => {
    if (settled) return;
    settled = true;
    answer = text;
  };
  const fulfilled = (value) => settle(settled ? "" : encode(value));
  const rejected = (error) => settle(settled ? "" : threw(error));
  // `then` of a native promise looks its species up; an own `constructor` keeps a patched one out.
  const watch = (promise) => {
    defineProperty(promise, "constructor", { __proto__: null, value: undefined, configurable: true });
    apply(promiseThen, promise, [fulfilled, rejected]);
  };
  const finish = (result) => {
    let then;
    try {
      if ((typeof result !== "object" && typeof result !== "function") || result === null)
        return encode(result);
      then = result.then;
    } catch (error) {
      return threw(error);
    }
    if (typeof then !== "function") return encode(result);
    try {
      // Throws where the result is no native promise; then it is a thenable, and awaited as `await` would.
      watch(result);
    } catch {
      watch(new NativePromise((done) => done(result)));
    }
    return "p";
  };

  // Three texts: the arguments as a JSON list, the name of the handler, and the call's time and seed as five numbers.
  const entry = (args, handler, numbers) => {
    sleeping = numbers;
    logText = "";
    logDropped = 0;
    logLeft = logBytes;
    innermost = null;
    tooDeep = false;
    textLeft = outputBytes;
    deepest = null;
    descent = 0;
    settled = false;
    answer = "";
    let fn;
    try {
      fn = typeof exported === "function" ? exported : own(exported, handler);
    } catch (error) {
      return threw(error);
    }
    if (typeof fn !== "function") return reply("h", "");
    let result;
    try {
      result = apply(fn, undefined, parse(args));
    } catch (error) {
      return threw(error);
    }
    return finish(result);
  };
  const own = (object, key) => {
    if (typeof object !== "object" || object === null) return undefined;
    const found = getOwnPropertyDescriptor(object, key);
    if (found === undefined) return undefined;
    return apply(hasOwnProperty, found, ["get"]) ? apply(found.get, object, []) : found.value;
  };
  const poll = () => (settled ? answer : "p");
  // Resets the state of time, chance, log and symbols to what a module finds while it is loaded. For a realm in which
  // many modules are evaluated, one after another; elsewhere a module has a world of its own.
  const begin = () => {
    sleeping = "";
    now = s0 = s1 = s2 = s3 = 0;
    mixed = false;
    logText = "";
    logLeft = logDropped = 0;
    symbols = new NativeMap();
    innermost = deepest = null;
    settled = false;
    answer = "";
    exported = undefined;
  };
  // Takes the module's namespace and the budgets of its calls, and says what its default export is: `f`, a JSON
  // list of names, or nothing.
  const register = (namespace, logBudget, outputBudget, depthBudget) => {
    outputDepth = +depthBudget;
    logBytes = +logBudget;
    outputBytes = +outputBudget;
    exported = namespace.default;
    if (typeof exported === "function") return "f";
    if (typeof exported !== "object" || exported === null || isArray(exported)) return "";
    let names = "";
    const keys = ownKeys(exported);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (typeof key === "string" && typeof own(exported, key) === "function") {
        names += (names === "" ? "" : ",") + quote(key);
      }
    }
    return names === "" ? "" : "[" + names + "]";
  };
  return { entry, poll, register, confine, remove, begin, describeThrown };
});
