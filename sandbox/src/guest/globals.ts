/** One name on the global object, and why it is there, or why it is not. */
export interface GlobalRow {
  readonly names: readonly string[];
  readonly reason: string;
}

const row = (names: string, reason: string): GlobalRow => ({ names: names.split(" "), reason });

/** Every global of a guest, in both engines. Any other global is removed before any hook code runs. */
export const allowedGlobals: readonly GlobalRow[] = [
  row("globalThis Infinity NaN undefined", "The language itself."),
  row(
    "Object Function Boolean Symbol",
    "The language itself. `Function` throws when it is asked to make code.",
  ),
  row("Number BigInt Math", "Arithmetic. `Math.random` gives the numbers of the call's seed."),
  row("isFinite isNaN parseFloat parseInt", "Arithmetic, in its older form."),
  row("String RegExp", "Text. Methods that would ask for a locale have none."),
  row("Date", "Time of the event, zone UTC; the clock stands still during a call."),
  row("Array Map Set WeakMap WeakSet Iterator", "Collections. None of them shows when the collector runs."),
  row(
    "ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array",
    "Bytes, such as encoders and hashes need. Buffers have a fixed size.",
  ),
  row("BigInt64Array BigUint64Array Float16Array Float32Array Float64Array", "Bytes, as numbers."),
  row("Promise", "Asynchronous code. Only what the hook itself settles can settle."),
  row(
    "Proxy Reflect",
    "Libraries use them; their traps are the hook's own code under the hook's own limits.",
  ),
  row("JSON", "Data, without a way to put raw text into an answer."),
  row(
    "Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError",
    "Errors, with stacks as plain text: no hook of V8 or QuickJS hands out call sites.",
  ),
  row("encodeURI encodeURIComponent decodeURI decodeURIComponent", "Pure functions on text."),
  row("escape unescape", "Pure functions on text; old libraries decode with them."),
  row("eval", "Present because libraries look for it; throws."),
  row("console", "Five methods that write to the log of the call: debug, log, info, warn, error."),
];

/** What at least one of the engines offers, and a guest does not get. */
export const refusedGlobals: readonly GlobalRow[] = [
  row("WebAssembly", "Memory beyond the limits, and code that no reviewer can read."),
  row("SharedArrayBuffer Atomics", "Blocks the thread, and makes a clock out of a counter."),
  row(
    "WeakRef FinalizationRegistry",
    "Tell when the collector runs: not the same twice, and a channel between calls.",
  ),
  row("Intl", "Discloses the host's locale, and one of the engines lacks it."),
  row("performance", "A clock, which would make answers depend on the machine."),
  row("queueMicrotask", "One of the engines lacks it; `Promise.resolve().then` does the same."),
  row("DOMException", "Belongs to the web, and one of the engines lacks it."),
  row("InternalError", "One of the engines lacks it; its errors are `RangeError`s to a guest."),
  row("SuppressedError DisposableStack AsyncDisposableStack", "One of the engines lacks them."),
];

/** Names of all allowed globals. */
export const allowedGlobalNames: readonly string[] = allowedGlobals.flatMap(({ names }) => names);
