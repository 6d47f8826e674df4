import type { EngineModule } from "./module.ts";

/**
 * Where the parts of the engine's linear memory lie: static data, then the stack, which grows downwards, then the heap.
 * Two words of it are read and written by the host: the end of the heap, and the counter from which the engine asks
 * whether to interrupt. Neither is exported, so both are found by watching what changes.
 */
export interface Layout {
  /** End of the area that holds static data, in bytes. */
  readonly staticEnd: number;
  /** Start of the heap, which is where the stack begins to grow downwards. */
  readonly heapStart: number;
  /** Index, in 32-bit words, of the word that holds the end of the heap. */
  readonly breakWord: number;
  /** Index, in 32-bit words from the start of a context, of the counter of steps to the next interrupt. */
  readonly counterWord: number;
}

/** Steps between two interrupts, as the engine counts them. */
export const stepsPerInterrupt = 10_000;

/** Below this the engine keeps its static data; the stack, of 5 MiB, begins far above its end. */
const staticLimit = 262_144;
/** Room behind the last static byte that was seen in use, for what is first written later. */
const staticMargin = 8_192;
const probeBytes = 1 << 20;

/** Finds the layout with an engine that is of no more use then. Throws where it is not built as expected. */
export function findLayout(module: EngineModule): Layout {
  const { exports } = module;
  const words = new Uint32Array(module.memory.buffer);

  const heapStart = exports._malloc(16) & ~4095;
  const before = words.slice(0, staticLimit >> 2);
  exports._malloc(probeBytes);
  const breakWord = only(
    "end of the heap",
    indexes(before, (old, index) => {
      const grown = (words[index] ?? 0) - old;
      return old > heapStart && grown >= probeBytes - 65_536 && grown % 4_096 === 0;
    }),
  );

  const runtime = exports._QTS_NewRuntime();
  const context = exports._QTS_NewContext(runtime, 0);
  exports._QTS_RuntimeEnableInterruptHandler(runtime);
  const loop = evaluate(module, context, "(() => { for (let i = 0; i < 100; i++); })");
  const struct = (): Uint32Array => words.slice(context >> 2, (context >> 2) + 256);
  const run = (): Uint32Array => {
    exports._QTS_Call(context, loop, exports._QTS_GetUndefined(), 0, 0);
    return struct();
  };
  run();
  const first = struct();
  const second = run();
  const third = run();
  const counterWord = only(
    "counter of steps",
    indexes(first, (old, index) => {
      const used = old - (second[index] ?? 0);
      return (
        old <= stepsPerInterrupt &&
        used >= 100 &&
        used < 1_000 &&
        used === (second[index] ?? 0) - (third[index] ?? 0)
      );
    }),
  );
  const lastUsed = words.subarray(0, staticLimit >> 2).findLastIndex((word) => word !== 0);
  const staticEnd = (lastUsed * 4 + staticMargin) & ~4_095;
  return { staticEnd, heapStart, breakWord, counterWord };
}

function indexes(of: Uint32Array, test: (value: number, index: number) => boolean): number[] {
  const found: number[] = [];
  for (let index = 0; index < of.length; index++) if (test(of[index] ?? 0, index)) found.push(index);
  return found;
}

function only(what: string, found: readonly number[]): number {
  const [index] = found;
  if (index === undefined || found.length > 1) {
    throw new Error(`cannot find the ${what} in the engine's memory: ${found.length} candidates`);
  }
  return index;
}

/** Evaluates a script and returns a pointer to its value. For host code only. */
export function evaluate(module: EngineModule, context: number, source: string, flags = 0): number {
  const { exports } = module;
  const code = writeText(module, source);
  const file = writeText(module, "hookwarden");
  const value = exports._QTS_Eval(context, code.at, code.bytes, file.at, 0, flags);
  exports._free(code.at);
  exports._free(file.at);
  return value;
}

/** Copies a text into the engine's memory, with a NUL behind it. `at` is 0 where there was no room. */
export function writeText(
  module: EngineModule,
  text: string,
): { readonly at: number; readonly bytes: number } {
  const bytes = Buffer.byteLength(text);
  const at = module.exports._malloc(bytes + 1);
  if (at === 0) return { at, bytes };
  const memory = Buffer.from(module.memory.buffer);
  memory.write(text, at, bytes, "utf8");
  memory[at + bytes] = 0;
  return { at, bytes };
}
