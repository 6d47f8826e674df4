import { allowedGlobalNames } from "./globals.ts";

/**
 * What a guest may reach: for every intrinsic object that is more than a plain function, the names of its own
 * properties. It is what both engines have of the standard, so that a hook finds the same world in each; the prelude
 * deletes the rest. Built-in functions that are not listed have `length` and `name`.
 *
 * Left out although both engines have it:
 * - resizing and transfer of `ArrayBuffer`: V8's memory limit does not see it;
 * - `RegExp.prototype.compile`: it rewrites an expression that is running, a classic of engine bugs;
 * - `Array.prototype[Symbol.unscopables]`: it means something to `with` only, which modules do not have.
 * Left out because one engine lacks it: `JSON.rawJSON`, static properties of `RegExp` such as `$1`, `Math.sumPrecise`,
 * `Iterator.concat` and `zip`, `Map.prototype.getOrInsert`, `Symbol.dispose`, positions on functions, and future
 * additions.
 */
const intrinsics: Readonly<Record<string, string>> = {
  Object:
    "length name prototype assign getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols hasOwn is preventExtensions seal create defineProperties defineProperty freeze getPrototypeOf setPrototypeOf isExtensible isFrozen isSealed keys entries fromEntries values groupBy",
  "Object.prototype":
    "constructor __defineGetter__ __defineSetter__ hasOwnProperty __lookupGetter__ __lookupSetter__ isPrototypeOf propertyIsEnumerable toString valueOf __proto__ toLocaleString",
  Function: "length name prototype",
  "Function.prototype":
    "length name arguments caller constructor apply bind call toString @@Symbol.hasInstance",
  Error: "length name prototype captureStackTrace isError stackTraceLimit prepareStackTrace",
  "Error.prototype": "constructor name message toString",
  Array: "length name prototype isArray from fromAsync of @@Symbol.species",
  "Array.prototype":
    "length constructor at concat copyWithin fill find findIndex findLast findLastIndex lastIndexOf pop push reverse shift unshift slice sort splice includes indexOf join keys entries values forEach filter flat flatMap map every some reduce reduceRight toReversed toSorted toSpliced with toLocaleString toString @@Symbol.iterator",
  Number:
    "length name prototype isFinite isInteger isNaN isSafeInteger parseFloat parseInt MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON",
  "Number.prototype": "constructor toExponential toFixed toPrecision toString valueOf toLocaleString",
  Boolean: "length name prototype",
  "Boolean.prototype": "constructor toString valueOf",
  String: "length name prototype fromCharCode fromCodePoint raw",
  "String.prototype":
    "length constructor anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fontcolor fontsize fixed includes indexOf isWellFormed italics lastIndexOf link localeCompare match matchAll normalize padEnd padStart repeat replace replaceAll search slice small split strike sub substr substring sup startsWith toString toWellFormed trim trimStart trimLeft trimEnd trimRight toLocaleLowerCase toLocaleUpperCase toLowerCase toUpperCase valueOf @@Symbol.iterator",
  Symbol:
    "length name prototype for keyFor asyncIterator hasInstance isConcatSpreadable iterator match matchAll replace search species split toPrimitive toStringTag unscopables",
  "Symbol.prototype": "constructor toString valueOf description @@Symbol.toStringTag @@Symbol.toPrimitive",
  Date: "length name prototype now parse UTC",
  "Date.prototype":
    "constructor toString toDateString toTimeString toISOString toUTCString toGMTString getDate setDate getDay getFullYear setFullYear getHours setHours getMilliseconds setMilliseconds getMinutes setMinutes getMonth setMonth getSeconds setSeconds getTime setTime getTimezoneOffset getUTCDate setUTCDate getUTCDay getUTCFullYear setUTCFullYear getUTCHours setUTCHours getUTCMilliseconds setUTCMilliseconds getUTCMinutes setUTCMinutes getUTCMonth setUTCMonth getUTCSeconds setUTCSeconds valueOf getYear setYear toJSON toLocaleString toLocaleDateString toLocaleTimeString @@Symbol.toPrimitive",
  Promise: "length name prototype all allSettled any race resolve reject withResolvers try @@Symbol.species",
  "Promise.prototype": "constructor then catch finally @@Symbol.toStringTag",
  RegExp: "length name prototype escape @@Symbol.species",
  "RegExp.prototype":
    "constructor exec dotAll flags global hasIndices ignoreCase multiline source sticky unicode unicodeSets toString test @@Symbol.match @@Symbol.matchAll @@Symbol.replace @@Symbol.search @@Symbol.split",
  console: "debug log info warn error",
  JSON: "parse stringify @@Symbol.toStringTag",
  Math: "abs acos acosh asin asinh atan atanh atan2 ceil cbrt expm1 clz32 cos cosh exp floor fround hypot imul log log1p log2 log10 max min pow random round sign sin sinh sqrt tan tanh trunc E LN10 LN2 LOG10E LOG2E PI SQRT1_2 SQRT2 f16round @@Symbol.toStringTag",
  ArrayBuffer: "length name prototype isView @@Symbol.species",
  "ArrayBuffer.prototype": "constructor byteLength slice @@Symbol.toStringTag",
  DataView: "length name prototype",
  "DataView.prototype":
    "constructor buffer byteLength byteOffset getInt8 setInt8 getUint8 setUint8 getInt16 setInt16 getUint16 setUint16 getInt32 setInt32 getUint32 setUint32 getFloat32 setFloat32 getFloat64 setFloat64 getBigInt64 setBigInt64 getBigUint64 setBigUint64 getFloat16 setFloat16 @@Symbol.toStringTag",
  Map: "length name prototype groupBy @@Symbol.species",
  "Map.prototype":
    "constructor get set has delete clear entries forEach keys size values @@Symbol.toStringTag @@Symbol.iterator",
  BigInt: "length name prototype asUintN asIntN",
  "BigInt.prototype": "constructor toString valueOf @@Symbol.toStringTag toLocaleString",
  Set: "length name prototype @@Symbol.species",
  "Set.prototype":
    "constructor has add delete difference clear entries forEach intersection isSubsetOf isSupersetOf isDisjointFrom size symmetricDifference union values keys @@Symbol.toStringTag @@Symbol.iterator",
  Iterator: "length name prototype from",
  "Iterator.prototype":
    "constructor reduce toArray forEach some every find map filter take drop flatMap @@Symbol.iterator @@Symbol.toStringTag",
  WeakMap: "length name prototype",
  "WeakMap.prototype": "constructor delete get set has @@Symbol.toStringTag",
  WeakSet: "length name prototype",
  "WeakSet.prototype": "constructor delete has add @@Symbol.toStringTag",
  Proxy: "length name revocable",
  Reflect:
    "defineProperty deleteProperty apply construct get getOwnPropertyDescriptor getPrototypeOf has isExtensible ownKeys preventExtensions set setPrototypeOf @@Symbol.toStringTag",
  "%AsyncFunction%": "length name prototype",
  "%AsyncFunction.prototype%": "constructor @@Symbol.toStringTag",
  "%GeneratorFunction%": "length name prototype",
  "%GeneratorFunction.prototype%": "prototype constructor @@Symbol.toStringTag",
  "%GeneratorPrototype%": "constructor next return throw @@Symbol.toStringTag",
  "%AsyncGeneratorFunction%": "length name prototype",
  "%AsyncGeneratorFunction.prototype%": "prototype constructor @@Symbol.toStringTag",
  "%AsyncGeneratorPrototype%": "constructor next return throw @@Symbol.toStringTag",
  "%AsyncIteratorPrototype%": "@@Symbol.asyncIterator",
  "%ArrayIteratorPrototype%": "next @@Symbol.toStringTag",
  "%StringIteratorPrototype%": "next @@Symbol.toStringTag",
  "%MapIteratorPrototype%": "next @@Symbol.toStringTag",
  "%SetIteratorPrototype%": "next @@Symbol.toStringTag",
  "%RegExpStringIteratorPrototype%": "next @@Symbol.toStringTag",
  "%TypedArray%": "length name prototype of from @@Symbol.species",
  "%TypedArray%.prototype":
    "constructor buffer byteLength byteOffset length entries keys values at copyWithin every fill filter find findIndex findLast findLastIndex forEach includes indexOf join lastIndexOf map reverse reduce reduceRight set slice some sort subarray toReversed toSorted with toLocaleString toString @@Symbol.toStringTag @@Symbol.iterator",
  "%IteratorHelperPrototype%": "next return @@Symbol.toStringTag",
  "%WrapForValidIteratorPrototype%": "next return",
};

const nativeErrors = [
  "AggregateError",
  "EvalError",
  "RangeError",
  "ReferenceError",
  "SyntaxError",
  "TypeError",
  "URIError",
];

const typedArrays = [
  "Uint8Array",
  "Int8Array",
  "Uint16Array",
  "Int16Array",
  "Uint32Array",
  "Int32Array",
  "BigUint64Array",
  "BigInt64Array",
  "Uint8ClampedArray",
  "Float32Array",
  "Float64Array",
  "Float16Array",
];

/** By path, names of own properties; a symbol is `@@` and its description. Used by the prelude. */
export const permits: Readonly<Record<string, readonly string[]>> = {
  globalThis: allowedGlobalNames,
  ...Object.fromEntries(Object.entries(intrinsics).map(([path, names]) => [path, names.split(" ")])),
  ...Object.fromEntries(
    nativeErrors.flatMap((name) => [
      [name, ["length", "name", "prototype"]],
      [`${name}.prototype`, ["constructor", "name", "message"]],
    ]),
  ),
  ...Object.fromEntries(
    typedArrays.flatMap((name) => [
      [name, ["length", "name", "prototype", "BYTES_PER_ELEMENT"]],
      [`${name}.prototype`, ["constructor", "BYTES_PER_ELEMENT"]],
    ]),
  ),
};

/** The same without the globals, for people. */
export const intrinsicNames: readonly (readonly [string, readonly string[]])[] = Object.entries(
  permits,
).filter(([path]) => path !== "globalThis");
