import type { Exports } from "./exports.ts";

/** The part of a compiled engine that is needed here. */
interface Engine {
  readonly exports: Exports;
  readonly memory: WebAssembly.Memory;
}

/** A text with a NUL behind it, which the engine frees. */
export function newText({ exports, memory }: Engine, text: string): number {
  const bytes = Buffer.from(`${text}\0`);
  const at = exports._malloc(bytes.length);
  if (at === 0) throw new Error("no memory for the name of a module");
  new Uint8Array(memory.buffer).set(bytes, at);
  return at;
}

/** Throws an error of the guest's world from within a function of the host, without running code of the guest. */
export function throwInto(module: Engine, context: number): number {
  const { exports } = module;
  const fresh = (text: string): number => {
    const at = newText(module, text);
    const value = exports._QTS_NewString(context, at);
    exports._free(at);
    return value;
  };
  const error = exports._QTS_NewError(context);
  const key = fresh("message");
  const message = fresh("a program has no imports");
  const nothing = exports._QTS_GetUndefined();
  exports._QTS_DefineProp(context, error, key, message, nothing, nothing, 1, 0, 1);
  const thrown = exports._QTS_Throw(context, error);
  for (const value of [thrown, error, key, message]) exports._QTS_FreeValuePointer(context, value);
  return 0;
}
