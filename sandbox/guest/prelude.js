// Runs inside the guest, before any code of a hook, as a sloppy script whose completion value is a function.
// It captures the intrinsics that it needs, takes away what the allow-list does not name, and makes the world of the
// guest deterministic. After that it uses captured intrinsics only: a hook that patches `JSON.stringify` or
// `Promise.prototype.then` lies to nobody but itself.
//
// The reply of a call is one string: a tag, the log as JSON or nothing, a newline, the body.
//   v  value, the body is its JSON          u  undefined or null
//   t  threw, the body is a JSON string     n  the value has no JSON
//   o  over the byte budget                 h  there is no such handler
//   p  waits for a promise; ask again with `poll` after running jobs
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
  const { parse, stringify } = JSON;
  const NativeDate = Date;
  const NativePromise = Promise;
  const NativeString = String;
  const NativeTypeError = TypeError;
  const promiseThen = Promise.prototype.then;
  const slice = String.prototype.slice;
  const functionToString = Function.prototype.toString;
  const isArray = Array.isArray;
  const dateToString = Date.prototype.toString;
  const freeze = Object.freeze;
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
  let logs = [];
  let logCount = 0;
  let logLeft = 0;
  let logDropped = 0;
  let outputLeft = 0;
  let logBytes = 0;
  let outputBytes = 0;
  let answer = "";
  let settled = false;
  let exported;
  const overBudget = freeze({ __proto__: null });

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
  set(global, "eval", refuse("eval"));

  // ---- time and chance ------------------------------------------------------------------------------------------
  // Most hooks ask neither for the time nor for chance, so the numbers are read when one does.
  const wake = () => {
    const numbers = parse(sleeping);
    sleeping = "";
    now = numbers[0];
    s0 = numbers[1] | 0;
    s1 = numbers[2] | 0;
    s2 = numbers[3] | 0;
    s3 = numbers[4] | 0;
  };
  const GuestDate = hide(
    function (...args) {
      if (sleeping !== "") wake();
      if (new.target === undefined) return apply(dateToString, new NativeDate(now), []);
      if (args.length === 0) return construct(NativeDate, [now], new.target);
      return construct(NativeDate, args, new.target);
    },
    "Date",
    7,
  );
  defineProperty(GuestDate, "prototype", {
    value: NativeDate.prototype,
    writable: false,
    enumerable: false,
    configurable: false,
  });
  set(NativeDate.prototype, "constructor", GuestDate);
  method(GuestDate, "now", 0, () => {
    if (sleeping !== "") wake();
    return now;
  });
  set(GuestDate, "parse", NativeDate.parse);
  set(GuestDate, "UTC", NativeDate.UTC);
  set(global, "Date", GuestDate);

  // sfc32, a small generator that passes the usual statistical batteries; the host gives the seed.
  method(Math, "random", 0, () => {
    if (sleeping !== "") wake();
    const t = (((s0 + s1) | 0) + s3) | 0;
    s3 = (s3 + 1) | 0;
    s0 = s1 ^ (s1 >>> 9);
    s1 = (s2 + (s2 << 3)) | 0;
    s2 = (s2 << 21) | (s2 >>> 11);
    s2 = (s2 + t) | 0;
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
  const dateText = (from, to) =>
    ({
      f() {
        return apply(slice, apply(toISOString, this, []), [from, to]);
      },
    }).f;
  method(NativeDate.prototype, "toLocaleString", 0, dateText(0, 24));
  method(NativeDate.prototype, "toLocaleDateString", 0, dateText(0, 10));
  method(NativeDate.prototype, "toLocaleTimeString", 0, dateText(11, 19));

  // ---- the console ----------------------------------------------------------------------------------------------
  const describe = (value, budget) => {
    let text;
    if (typeof value === "string") text = value;
    else if (typeof value === "object" && value !== null) {
      try {
        text = stringify(value);
      } catch {
        text = undefined;
      }
      if (text === undefined || text === "{}") text = describeError(value) ?? text ?? "[object]";
    } else if (typeof value === "function") text = "[function]";
    else text = NativeString(value);
    return apply(slice, text, [0, budget]);
  };
  const describeError = (value) => {
    try {
      const { name, message } = value;
      if (typeof message !== "string") return undefined;
      return `${typeof name === "string" ? apply(slice, name, [0, 100]) : "Error"}: ${apply(slice, message, [0, 1000])}`;
    } catch {
      return undefined;
    }
  };
  const write = (level, args) => {
    if (logLeft <= 0) {
      logDropped++;
      return;
    }
    let line = "";
    for (let i = 0; i < args.length && line.length <= logLeft; i++) {
      line += (i ? " " : "") + describe(args[i], logLeft);
    }
    line = apply(slice, line, [0, logLeft]);
    logLeft -= line.length + 1;
    // `defineProperty`, not assignment: a setter on Array.prototype must not see the log.
    defineProperty(logs, logCount++, {
      value: [level, line],
      writable: true,
      enumerable: true,
      configurable: true,
    });
  };
  const console = {};
  const levels = ["debug", "log", "info", "warn", "error"];
  for (let i = 0; i < levels.length; i++) {
    const level = levels[i];
    method(console, level, 0, (...args) => write(level, args));
  }
  set(global, "console", console);

  // ---- functions of the prelude look like any built-in ----------------------------------------------------------
  method(
    Function.prototype,
    "toString",
    0,
    {
      toString() {
        if (typeof this === "function" && apply(WeakSetHas, hidden, [this])) {
          return `function ${getOwnPropertyDescriptor(this, "name")?.value ?? ""}() { [native code] }`;
        }
        return apply(functionToString, this, []);
      },
    }.toString,
  );

  // ---- the allow-list -------------------------------------------------------------------------------------------
  const permitted = (names, key) => {
    for (let i = 0; i < names.length; i++) if (names[i] === key) return true;
    return false;
  };
  const nameOf = (key) => (typeof key === "symbol" ? `@@${NativeString(key.description)}` : key);
  const strip = (target, names) => {
    const keys = ownKeys(target);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (permitted(names, nameOf(key))) continue;
      if (!deleteProperty(target, key)) {
        const old = getOwnPropertyDescriptor(target, key);
        if (old && old.writable) defineProperty(target, key, { value: undefined });
      }
    }
  };
  // Where a hook could install a hook of its own into the engine, there is a constant instead.
  const lock = (target, key) =>
    defineProperty(target, key, {
      value: undefined,
      writable: false,
      enumerable: false,
      configurable: false,
    });
  lock(Error, "prepareStackTrace");
  lock(Error, "captureStackTrace");
  const iteratorPrototype = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
  const roots = {
    __proto__: null,
    "%AsyncFunction.prototype%": functionKinds[1][0],
    "%GeneratorFunction.prototype%": functionKinds[2][0],
    "%GeneratorPrototype%": functionKinds[2][0].prototype,
    "%AsyncGeneratorFunction.prototype%": functionKinds[3][0],
    "%AsyncGeneratorPrototype%": functionKinds[3][0].prototype,
    "%AsyncIteratorPrototype%": getPrototypeOf(functionKinds[3][0].prototype),
    "%IteratorPrototype%": iteratorPrototype,
    "%ArrayIteratorPrototype%": getPrototypeOf([][Symbol.iterator]()),
    "%StringIteratorPrototype%": getPrototypeOf(""[Symbol.iterator]()),
    "%MapIteratorPrototype%": getPrototypeOf(new Map()[Symbol.iterator]()),
    "%SetIteratorPrototype%": getPrototypeOf(new Set()[Symbol.iterator]()),
    "%RegExpStringIteratorPrototype%": getPrototypeOf(/x/[Symbol.matchAll]("")),
    "%TypedArray%": getPrototypeOf(Uint8Array),
    "%TypedArray%.prototype": getPrototypeOf(Uint8Array.prototype),
    "%ThrowTypeError%": undefined,
  };
  if (permits) {
    strip(global, permits.globalThis);
    const paths = ownKeys(permits);
    for (let i = 0; i < paths.length; i++) {
      const path = paths[i];
      if (path === "globalThis") continue;
      let target = roots[path];
      if (target === undefined) {
        const isPrototype = path.endsWith(".prototype");
        const name = isPrototype ? path.slice(0, -10) : path;
        target = global[name];
        if (isPrototype && target !== undefined) target = target.prototype;
      }
      if (target !== undefined && target !== null) strip(target, permits[path]);
    }
  }

  // ---- calls ----------------------------------------------------------------------------------------------------
  const count = function (key, value) {
    outputLeft -= key.length + 4;
    if (typeof value === "string") outputLeft -= value.length;
    if (outputLeft < 0) throw overBudget;
    return value;
  };
  const reply = (tag, body) => {
    let head = tag;
    if (logDropped > 0) {
      defineProperty(logs, logCount++, {
        value: ["warn", `dropped ${logDropped} lines`],
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    if (logCount > 0) {
      // The entries are arrays of strings made here; `toJSON` of a patched prototype must not speak for them.
      shield(logs);
      for (let i = 0; i < logCount; i++) shield(logs[i]);
      head += stringify(logs);
    }
    return `${head}\n${body}`;
  };
  const shield = (value) => defineProperty(value, "toJSON", { value: undefined });
  const quote = (text) => {
    try {
      return stringify(text);
    } catch {
      return '"a value that cannot be described"';
    }
  };
  const threw = (error) => {
    let text;
    if (typeof error === "object" && error !== null) text = describeError(error) ?? "a thrown object";
    else if (typeof error === "function") text = "a thrown function";
    else text = NativeString(error);
    const body = quote(apply(slice, text, [0, 1000]));
    return reply("t", typeof body === "string" ? body : '""');
  };
  const encode = (value) => {
    if (value === undefined || value === null) return reply("u", "");
    let body;
    try {
      body = stringify(value, count);
    } catch (error) {
      return error === overBudget ? reply("o", "") : threw(error);
    }
    return body === undefined ? reply("n", "") : reply("v", body);
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
    defineProperty(promise, "constructor", { value: undefined, configurable: true });
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
    logs = [];
    logCount = 0;
    logDropped = 0;
    logLeft = logBytes;
    outputLeft = outputBytes;
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
    return found === undefined ? undefined : found.get ? apply(found.get, object, []) : found.value;
  };
  const poll = () => (settled ? answer : "p");
  // Takes the module's namespace and the two budgets of its calls, and tells what its default export is: `f`, a JSON
  // list of names, or nothing.
  const register = (namespace, logBudget, outputBudget) => {
    logBytes = +logBudget;
    outputBytes = +outputBudget;
    exported = namespace.default;
    if (typeof exported === "function") return "f";
    if (typeof exported !== "object" || exported === null || isArray(exported)) return "";
    const names = [];
    const keys = ownKeys(exported);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (typeof key === "string" && typeof own(exported, key) === "function") {
        defineProperty(names, names.length, {
          value: key,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
    }
    shield(names);
    return names.length ? stringify(names) : "";
  };
  return { entry, poll, register };
});
