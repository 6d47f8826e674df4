/** What a prelude is made for. */
export interface PreludeOptions {
  /** Begins every name of the instrumentation; the hook cannot know it. */
  readonly prefix: string;
  readonly branches: number;
  readonly sites: number;
  readonly atoms: number;
  /** Whether built-in comparisons of texts and lists are noted too. */
  readonly pairs: boolean;
  /** The program as it was, and where its functions are: what `String(f)` must give. */
  readonly source: string;
  readonly functions: readonly (readonly [branch: number, start: number, end: number])[];
}

/**
 * The part of an instrumented program before the hook's own code, in the same module: it captures what it needs
 * before a line of the hook has run, and is written so that a hook that patches built-ins cannot change what it notes:
 * only captured functions, objects without a prototype, typed arrays, and texts made by `+`.
 *
 * `$` stands for the prefix. The names that instrumented code uses:
 *   $c[$w = 7] = 1  a branch was taken, and it is the last one that was
 *   $t(5, (a))     a condition was true, or was false
 *   $eq(3, a, b)   a comparison; $sw and $sc are those of a `switch`
 *   $p(3, key, of) a property is looked up under a name that was made at run time; in an object with a name of its own
 *   $x(exports)    the hook's default export, instrumented
 */
export function instrumentationPrelude({
  prefix,
  branches,
  sites,
  atoms,
  pairs,
  source,
  functions,
}: PreludeOptions): string {
  const text = template
    .replace("@patches", () => (pairs ? patches : ""))
    .replaceAll("$", () => prefix)
    .replaceAll("@branches", String(Math.max(1, branches)))
    .replaceAll("@sites", String(Math.max(1, sites)))
    .replaceAll("@atoms", String(Math.max(1, atoms)))
    .replace("@functions", () => JSON.stringify(functions.map(([id, start, end]) => [id, start, end])))
    .replace("@source", () => JSON.stringify(source));
  // On one line, so that the hook's own lines keep their numbers.
  return text
    .split("\n")
    .filter((line) => !line.trimStart().startsWith("//"))
    .join(" ");
}

/** Most different pairs that are noted of one comparison in one call, and of all together. */
export const recordingLimits = {
  pairs: 16,
  builtinPairs: 500,
  keys: 24,
  keyPairs: 200,
  allPairs: 1_500,
  text: 160,
  pattern: 1_000,
} as const;

const template = `
const $O = Object, $R = Reflect, $P = Proxy, $S = String, $J = JSON.stringify, $A = Array.isArray, $N = Number, $D = Date;
const $apply = $R.apply, $own = $R.ownKeys, $def = $R.defineProperty, $gop = $R.getOwnPropertyDescriptor, $get = $R.get, $con = $R.construct;
const $slice = $S.prototype.slice, $join = $R.getPrototypeOf(Uint8Array.prototype).join, $isInt = $N.isInteger, $has = $O.prototype.hasOwnProperty;
const $c = new Uint8Array(@branches), $n = new Uint16Array(@sites), $a = new Uint8Array(@atoms);
const $t = (i, v) => { $a[i] |= v ? 1 : 2; return v; };
let $w = 0, $left = ${recordingLimits.allPairs}, $clock = 0, $chance = 0, $on = true;
let $pairs = { __proto__: null }, $reads = { __proto__: null };
const $txt = (v, most) => {
  switch (typeof v) {
    case "string": return $J(v.length > most ? $apply($slice, v, [0, most]) : v);
    case "number": return v === v && v - v === 0 ? "" + v : "null";
    case "boolean": return v ? "true" : "false";
    case "bigint": return $J("" + v);
    default: return "null";
  }
};
const $note = (site, op, a, b) => $pair(site, op, a, b, ${recordingLimits.text});
const $pair = (site, op, a, b, most) => {
  if (!$on || $left <= 0 || $n[site] >= (site === 0 ? ${recordingLimits.builtinPairs} : op === "of" ? ${recordingLimits.keyPairs} : ${recordingLimits.pairs})) return;
  const t = typeof a, u = typeof b;
  if ((t !== "string" && t !== "number" && t !== "bigint") || (u !== "string" && u !== "number" && u !== "bigint")) {
    if (t === "undefined" || u === "undefined" || a === null || b === null || t === "object" || u === "object") return;
  }
  const key = "[" + site + ',"' + op + '",' + $w + "," + $txt(a, ${recordingLimits.text}) + "," + $txt(b, most) + "]";
  if ($pairs[key] !== undefined) return;
  $pairs[key] = 1;
  $n[site]++;
  $left--;
};
const $eq = (i, a, b) => { $note(i, "==", a, b); return a === b; };
const $ne = (i, a, b) => { $note(i, "==", a, b); return a !== b; };
const $qe = (i, a, b) => { $note(i, "==", a, b); return a == b; };
const $qn = (i, a, b) => { $note(i, "==", a, b); return a != b; };
const $lt = (i, a, b) => { $note(i, "<", a, b); return a < b; };
const $gt = (i, a, b) => { $note(i, "<", a, b); return a > b; };
const $le = (i, a, b) => { $note(i, "<", a, b); return a <= b; };
const $ge = (i, a, b) => { $note(i, "<", a, b); return a >= b; };
const $last = { __proto__: null };
const $sw = (i, v) => { $last[i] = v; return v; };
const $sc = (i, v) => { $note(i, "==", $last[i], v); return v; };
const $wrapped = new WeakSet(), $isWrapped = $wrapped.has, $addWrapped = $wrapped.add;
// The names that a table has are what its question can be answered with.
const $keys = (i, k, of) => {
  if (!$on || typeof of !== "object" || of === null || $A(of) || $apply($isWrapped, $wrapped, [of])) return;
  const keys = $own(of);
  for (let at = 0; at < keys.length && at < ${recordingLimits.keys}; at++) if (typeof keys[at] === "string") $note(i, "of", k, keys[at]);
};
const $p = (i, k, of) => { if (typeof k === "string") { $note(i, "key", k, ""); $keys(i, k, of); } return k; };
@patches
const $mask = (target, name, value) => $def(target, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
{
  // The text of a function is that of the program; of a patched one, that of the engine.
  const text = Function.prototype.toString, find = $S.prototype.indexOf, number = $N.parseInt, source = @source, functions = @functions;
  const spans = { __proto__: null };
  for (let i = 0; i < functions.length; i++) spans[functions[i][0]] = functions[i];
  const original = { toString() {
    const own = $apply(text, this, []);
    for (let at = $apply(find, own, ["$c[$w="]); at >= 0; at = $apply(find, own, ["$c[$w=", at + 1])) {
      const span = spans[number($apply($slice, own, [at + "$c[$w=".length, at + "$c[$w=".length + 9]), 10)];
      if (span !== undefined) return $apply($slice, source, [span[1], span[2]]);
    }
    return $apply(find, own, ["$"]) < 0 ? own : "function " + this.name + "() {\\n    [native code]\\n}";
  } }.toString;
  $mask(Function.prototype, "toString", original);
}
{
  const now = $D.now, random = Math.random;
  const date = new $P($D, {
    __proto__: null,
    construct(t, args, n) { if (args.length === 0) $clock++; return $con(t, args, n === date ? t : n); },
    apply(t, self, args) { $clock++; return $apply(t, self, args); },
  });
  $def($D, "now", { __proto__: null, value: { now() { $clock++; return now(); } }.now, writable: true, enumerable: false, configurable: true });
  $def($D.prototype, "constructor", { __proto__: null, value: date, writable: true, enumerable: false, configurable: true });
  $def(globalThis, "Date", { __proto__: null, value: date, writable: true, enumerable: false, configurable: true });
  $def(Math, "random", { __proto__: null, value: { random() { $chance++; return random(); } }.random, writable: true, enumerable: false, configurable: true });
}
// What is read is noted by path. A node of the event is a proxy before a copy whose values are such proxies already, so
// that a frozen, cloned or compared event behaves as the event itself does.
const $seen = (path, how, there) => {
  if (!$on) return;
  const key = how + there + path;
  $reads[key] = ($reads[key] || 0) + 1;
};
const $step = (path, key) => path + "\\u0000" + key;
const $wrap = (value, path) => {
  if (typeof value !== "object" || value === null) return value;
  const list = $A(value);
  const copy = list ? [] : {};
  const keys = $own(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    if (list && key === "length") continue;
    $def(copy, key, { __proto__: null, value: $wrap(value[key], $step(path, list ? "*" : key)), writable: true, enumerable: true, configurable: true });
  }
  if (list) copy.length = value.length;
  const step = (key) => $step(path, list && key !== "length" ? "*" : key);
  const proxy = new $P(copy, {
    __proto__: null,
    get(target, key, receiver) {
      if (typeof key === "string") {
        const there = $apply($has, target, [key]);
        if (there || !(key in target)) {
          if (list && key === "length") $seen(path, "l", "1");
          else if (there) { const v = $gop(target, key).value; $seen(step(key), typeof v === "object" && v !== null ? "o" : "v", "1"); }
          else if (key !== "toJSON" && key !== "then") $seen(step(key), "v", "0");
        }
      }
      return $get(target, key, receiver);
    },
    has(target, key) { if (typeof key === "string") $seen(step(key), "a", $apply($has, target, [key]) ? "1" : "0"); return key in target; },
    getOwnPropertyDescriptor(target, key) { if (typeof key === "string") $seen(list && key === "length" ? path : step(key), "a", $apply($has, target, [key]) ? "1" : "0"); return $gop(target, key); },
    ownKeys(target) { $seen(path, "l", "1"); return $own(target); },
  });
  $apply($addWrapped, $wrapped, [proxy]);
  return proxy;
};
const $table = (from, left, right) => {
  let text = left;
  const keys = $own(from);
  for (let i = 0; i < keys.length; i++) text += (i ? "," : "") + (right === null ? keys[i] : "[" + $J(keys[i]) + "," + from[keys[i]] + "]");
  return text + "]";
};
const $reply = (kind, output) => {
  $on = false;
  return '{"kind":"' + kind + '","output":' + output + ',"cover":"' + $apply($join, $c, [""]) + '","atoms":"' + $apply($join, $a, [""]) + '","clock":' + $clock + ',"chance":' + $chance
    + ',"reads":' + $table($reads, "[", "") + ',"pairs":' + $table($pairs, "[", null) + "}";
};
const $watch = (call) => async (event, ctx) => {
  let value;
  const e = $wrap(event, "e"), c = $wrap(ctx, "c");
  try { value = await call(e, c); } catch { return $reply("threw", "null"); }
  if (value === undefined || value === null) return $reply("value", "null");
  let text;
  try { text = $J(value); } catch { return $reply("threw", "null"); }
  return text === undefined ? $reply("threw", "null") : $reply("value", $J(text));
};
const $x = (given) => {
  if (typeof given === "function") return $watch(given);
  const out = {};
  const keys = $own(given ?? {});
  for (let i = 0; i < keys.length; i++) {
    const d = $gop(given, keys[i]);
    const call = d && d.get ? $apply(d.get, given, []) : d && d.value;
    if (typeof call === "function") $def(out, keys[i], { __proto__: null, value: $watch(call), enumerable: true });
  }
  return out;
};
`;

const patches = `
const $patch = (target, name, op, first) => {
  const native = target[name];
  if (typeof native !== "function") return;
  const own = { [name](...args) { $note(0, op, first ? $S_of(this) : args[0], first ? args[0] : this); return $apply(native, this, args); } }[name];
  $def(own, "length", { __proto__: null, value: native.length, configurable: true });
  $def(target, name, { __proto__: null, value: own, writable: true, enumerable: false, configurable: true });
};
const $S_of = (v) => (typeof v === "string" ? v : null);
for (const name of ["includes", "startsWith", "endsWith", "indexOf", "lastIndexOf", "localeCompare", "split", "replaceAll"]) $patch($S.prototype, name, "in", true);
const $member = (target, name, values) => {
  const native = target[name];
  const own = { [name](...args) {
    const v = args[0];
    if ($on && (typeof v === "string" || typeof v === "number")) {
      const list = values(this);
      if (list === null) $note(0, "key", v, "");
      else for (let i = 0; i < list.length && i < 24; i++) $note(0, "==", v, list[i]);
    }
    return $apply(native, this, args);
  } }[name];
  $def(own, "length", { __proto__: null, value: native.length, configurable: true });
  $def(target, name, { __proto__: null, value: own, writable: true, enumerable: false, configurable: true });
};
const $keysOf = (iterate, next) => (of) => {
  try {
    const it = $apply(iterate, of, []), list = [];
    for (let i = 0; i < 24; i++) {
      const r = $apply(next, it, []);
      if (r.done) break;
      $def(list, i, { __proto__: null, value: r.value, writable: true, enumerable: true, configurable: true });
    }
    return list;
  } catch { return null; }
};
const $setNext = new Set().values().next, $mapNext = new Map().keys().next;
$member(Set.prototype, "has", $keysOf(Set.prototype.values, $setNext));
$member(Map.prototype, "has", $keysOf(Map.prototype.keys, $mapNext));
$member(Map.prototype, "get", $keysOf(Map.prototype.keys, $mapNext));
$member(Array.prototype, "includes", (of) => ($A(of) ? of : null));
$member(Array.prototype, "indexOf", (of) => ($A(of) ? of : null));
{
  const native = RegExp.prototype.exec, sourceOf = $gop(RegExp.prototype, "source").get, flagsOf = $gop(RegExp.prototype, "flags").get;
  const own = { exec(text) {
    if ($on && typeof text === "string") {
      try { $pair(0, "re", text, "/" + $apply(sourceOf, this, []) + "/" + $apply(flagsOf, this, []), ${recordingLimits.pattern}); } catch {}
    }
    return $apply(native, this, [text]);
  } }.exec;
  $def(own, "length", { __proto__: null, value: native.length, configurable: true });
  $def(RegExp.prototype, "exec", { __proto__: null, value: own, writable: true, enumerable: false, configurable: true });
}
{
  const native = $O.hasOwn;
  const own = { hasOwn(o, k) { if (typeof k === "string") { $note(0, "key", k, ""); $keys(0, k, o); } return native(o, k); } }.hasOwn;
  $def($O, "hasOwn", { __proto__: null, value: own, writable: true, enumerable: false, configurable: true });
}
`;
