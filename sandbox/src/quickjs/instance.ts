import { limitCeilings, type Limits } from "../limits.ts";
import type { Message } from "../guest/message.ts";
import { type BaseImage, captureProgram, type ProgramImage, restore } from "./image.ts";
import { type Anchors, type Base, callBufferBytes } from "./base.ts";
import { type Layout, stepsPerInterrupt, writeText } from "./layout.ts";
import { createModule, type EngineModule, pageBytes } from "./module.ts";
import { clearFreeMemory } from "./free-memory.ts";
import { guestStackBytes } from "./stack.ts";

/** What the stack may be used for below its limit: functions of the engine that do not check it. */
const stackMargin = 65_536;
/** The part of the stack that is cleared after every call. */
const shallowStackBytes = 32_768;
/** Deeper use shows here, just below it. */
const zeros = Buffer.alloc(16_384);
const maxStackBytes = limitCeilings.stackKb * 1_024;
const moduleFlag = 1;
const promise = { pending: 0, fulfilled: 1, rejected: 2 } as const;

/** A program as one memory image, ready to be written into any instance of its size. */
export interface LoadedProgram {
  readonly image: ProgramImage;
  /** Names of the handlers, `null` where one function serves all. */
  readonly handlers: readonly string[] | null;
  readonly stackBytes: number;
}

/** Why the guest's code was ended from outside. */
export type Stopped = "steps" | "wall" | null;

/** What happened in the engine, as the host saw it. */
export type RawResult =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "exception"; readonly message: string; readonly stack?: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "unsettled" }
  | { readonly kind: "stopped"; readonly by: "steps" | "wall" }
  | { readonly kind: "refused-memory" }
  | { readonly kind: "overflow" }
  | { readonly kind: "trap" };

/** Pointers that the host has to free. */
interface Owned {
  readonly values: number[];
  readonly strings: number[];
  readonly blocks: number[];
}

/** What calls need beyond their text. */
export interface Bounds {
  readonly steps: number;
  /** In `performance.now()` milliseconds. */
  readonly deadline: number;
  readonly maxReplyBytes: number;
}

/** Size of memory, in pages, that a program with this limit needs: room for the engine and the program, and the call. */
export function pagesFor(memoryKb: number): number {
  const needed = memoryKb * 1_024 + 7.5 * 1_048_576;
  let pages = 256;
  while (pages * pageBytes < needed) pages *= 2;
  return pages;
}

/** One engine with its memory. Holds and runs one image at a time. */
export class Instance {
  readonly pages: number;
  /** Nothing has run in it yet: memory contains only the base image and traces of starting the engine. */
  #fresh = true;
  /** `false` after anything that leaves the engine in doubt; it must be thrown away then. */
  healthy = true;
  /** Steps of the last call. */
  steps = 0;
  /** Bytes of heap that the last call took beyond the image. */
  memoryBytes = 0;
  readonly #module: EngineModule;
  readonly #layout: Layout;
  readonly #memory: Buffer;
  /** The same memory, without what buffers add to its methods. */
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  readonly #base: BaseImage;
  readonly #anchors: Anchors;
  #loaded: LoadedProgram | null = null;
  #dirty = false;
  /** The guest's stack limit as the engine has it. */
  #stackBytes = 0;
  #stopped: Stopped = null;
  #polls = 0;
  #heapBefore = 0;
  #bounds: Bounds = { steps: 0, deadline: 0, maxReplyBytes: 0 };
  readonly #counter: number;
  /** What a call in a kept context has to free; restoring an image frees everything. */
  #owned: Owned | null = null;

  private constructor(module: EngineModule, pages: number, { layout, image, anchors }: Base) {
    this.pages = pages;
    this.#base = image;
    this.#anchors = anchors;
    this.#module = module;
    this.#layout = layout;
    this.#memory = Buffer.from(module.memory.buffer);
    this.#bytes = new Uint8Array(module.memory.buffer);
    this.#words = new Uint32Array(module.memory.buffer);
    this.#counter = (anchors.context >> 2) + layout.counterWord;
    module.interrupt = () => this.#interrupt();
  }

  /** Instantiates an engine and puts a base image into it. */
  static async create(pages: number, base: Base): Promise<Instance> {
    const instance = new Instance(await createModule(pages), pages, base);
    for (const piece of base.image.pieces) instance.#memory.set(piece.bytes, piece.at);
    return instance;
  }

  /** Evaluates a program in a clean engine and captures its image. The program is selected afterwards. */
  load(name: string, source: string, limits: Limits, bounds: Bounds): LoadedProgram | RawResult {
    this.#wipe();
    const { exports } = this.#module;
    const { runtime } = this.#anchors;
    const stackBytes = guestStackBytes(limits.stackKb);
    this.#stackBytes = stackBytes.load;
    this.#begin(bounds);
    let result: RawResult;
    try {
      result = this.#evaluate(name, source, limits, bounds.maxReplyBytes);
    } catch (error) {
      result = this.#broken(error);
    }
    result = this.#end(result);
    if (result.kind !== "text") return result;
    // `f` if one function handles every event, a list of handler names, or empty if there is no callable export.
    if (result.text === "")
      return {
        kind: "exception",
        message: "the script has no function as its default export; write `export default hook`",
      };
    const handlers = result.text === "f" ? null : (JSON.parse(result.text) as string[]);
    exports._QTS_RuntimeSetMaxStackSize(runtime, stackBytes.run);
    this.#stackBytes = stackBytes.run;
    const image = this.#capture(limits, stackBytes.load);
    if (!image) return { kind: "refused-memory" };
    this.#loaded = { image, handlers, stackBytes: stackBytes.run };
    this.#dirty = true;
    return this.#loaded;
  }

  /** Evaluates a module and registers its exports with the prelude. */
  #evaluate(name: string, source: string, limits: Limits, maxReplyBytes: number): RawResult {
    const { exports } = this.#module;
    const { runtime, context, register, undefined: undef } = this.#anchors;
    exports._QTS_RuntimeSetMaxStackSize(runtime, this.#stackBytes);
    const code = writeText(this.#module, source);
    const file = writeText(this.#module, name);
    if (code.at === 0 || file.at === 0) return { kind: "refused-memory" };
    let namespace = exports._QTS_Eval(context, code.at, code.bytes, file.at, 0, moduleFlag);
    // Clear the source text: it is not needed any more and would be part of every image.
    this.#bytes.fill(0, code.at, code.at + code.bytes);
    exports._free(code.at);
    exports._free(file.at);
    const failed = this.#exception(namespace);
    if (failed) return failed.kind === "exception" ? this.#importing(failed) : failed;
    this.#runJobs();
    if (this.#stopped) return { kind: "stopped", by: this.#stopped };
    const state = exports._QTS_PromiseState(context, namespace);
    if (state === promise.pending) return { kind: "unsettled" };
    if (state === promise.rejected) {
      const error = exports._QTS_PromiseResult(context, namespace);
      return { kind: "exception", message: this.#describe(error), stack: this.#stackOf(error) };
    }
    if (state === promise.fulfilled) namespace = exports._QTS_PromiseResult(context, namespace);
    this.#argument(0, namespace);
    [limits.logBytes, limits.outputBytes, limits.outputDepth].forEach((limit, index) => {
      const text = writeText(this.#module, String(limit));
      this.#argument(index + 1, exports._QTS_NewString(context, text.at));
    });
    const names = exports._QTS_Call(context, register, undef, 4, this.#anchors.argv);
    const thrown = this.#exception(names);
    if (thrown) return thrown;
    // Getters of the exports are the guest's code as well.
    this.#runJobs();
    if (this.#stopped) return { kind: "stopped", by: this.#stopped };
    const text = this.#read(names, maxReplyBytes);
    return text === null ? { kind: "too-large" } : { kind: "text", text };
  }

  /**
   * Runs promise jobs until none is left or the bounds stop it. A program is loaded when nothing of it is left to run:
   * what its promises set up is part of its image.
   */
  #runJobs(): void {
    const { exports } = this.#module;
    const { runtime, context, argv } = this.#anchors;
    while (this.#stopped === null && exports._QTS_IsJobPending(runtime)) {
      exports._QTS_FreeValuePointer(context, exports._QTS_ExecutePendingJob(runtime, 1, argv));
    }
  }

  /** Restores a program's image. */
  select(program: LoadedProgram): void {
    this.#owned = null;
    const previous = this.#loaded;
    if (previous === program && !this.#dirty) return;
    const memory = this.#bytes;
    const { image } = program;
    const heapEnd = Math.max(this.#heapEnd(), image.heapEnd);
    if (previous === program) memory.fill(0, image.tailStart, heapEnd);
    else if (previous) {
      // Another program's image and calls reached further, or elsewhere.
      memory.fill(0, Math.min(image.headEnd, previous.image.headEnd), previous.image.headEnd);
      memory.fill(
        0,
        Math.min(image.tailStart, previous.image.tailStart),
        Math.max(heapEnd, previous.image.heapEnd),
      );
    } else this.#clearHeap(heapEnd);
    this.#clearUsedStack(Math.max(program.stackBytes, previous?.stackBytes ?? maxStackBytes));
    this.#loaded = program;
    this.#stackBytes = program.stackBytes;
    restore(memory, this.#base, image);
    this.#fresh = false;
    this.#dirty = false;
  }

  /** Puts the image of the last call's program back, so that the next call finds it. */
  tidy(): void {
    if (this.#loaded && this.#dirty) this.select(this.#loaded);
  }

  /** Continues a program in the state that its last call left, or starts it. */
  resume(program: LoadedProgram): void {
    if (this.#loaded !== program) this.select(program);
    this.#owned ??= { values: [], strings: [], blocks: [] };
  }

  /** Calls the selected program with a message of the prelude, and returns the prelude's reply. */
  call(message: Message, bounds: Bounds): RawResult {
    this.#begin(bounds);
    let result: RawResult;
    try {
      result = this.#callGuest(message, bounds.maxReplyBytes);
    } catch (error) {
      result = this.#broken(error);
    }
    result = this.#end(result);
    if (this.#owned && this.healthy) this.#giveBack(this.#owned);
    return result;
  }

  #giveBack({ values, strings, blocks }: Owned): void {
    const { exports } = this.#module;
    const { context } = this.#anchors;
    for (const string of strings) exports._QTS_FreeCString(context, string);
    for (const value of values) exports._QTS_FreeValuePointer(context, value);
    for (const block of blocks) exports._free(block);
    values.length = 0;
    strings.length = 0;
    blocks.length = 0;
  }

  /** Remembers a value that belongs to the host, where that matters. */
  #own(value: number): number {
    this.#owned?.values.push(value);
    return value;
  }

  #callGuest(message: Message, maxReplyBytes: number): RawResult {
    const { exports } = this.#module;
    const { context, runtime, entry, poll, argv, undefined: undef } = this.#anchors;
    const { callBuffer } = this.#anchors;
    const args = this.#write(message.args);
    if (args === 0) return { kind: "refused-memory" };
    if (args !== callBuffer) this.#owned?.blocks.push(args);
    this.#argument(0, this.#own(exports._QTS_NewString(context, args)));
    this.#memory[callBuffer + this.#memory.write(message.handler, callBuffer, callBufferBytes - 1, "utf8")] =
      0;
    this.#argument(1, this.#own(exports._QTS_NewString(context, callBuffer)));
    this.#memory[callBuffer + this.#memory.write(message.numbers, callBuffer, "latin1")] = 0;
    this.#argument(2, this.#own(exports._QTS_NewString(context, callBuffer)));
    let reply = exports._QTS_Call(context, entry, undef, 3, argv);
    for (;;) {
      if (this.#stopped) return { kind: "stopped", by: this.#stopped };
      const failed = this.#exception(reply);
      if (failed) return failed;
      const text = this.#read(reply, maxReplyBytes);
      if (text !== "p") {
        this.#own(reply);
        return text === null ? { kind: "too-large" } : { kind: "text", text };
      }
      exports._QTS_FreeValuePointer(context, reply);
      // Job by job, so that nothing runs after the one that settles the answer. What each leaves is freed at once: it
      // is the host's, and must not count as the guest's.
      if (!exports._QTS_IsJobPending(runtime)) return { kind: "unsettled" };
      exports._QTS_FreeValuePointer(context, exports._QTS_ExecutePendingJob(runtime, 1, argv));
      reply = exports._QTS_Call(context, poll, undef, 0, 0);
    }
  }

  /** Arms the bounds of what is about to run. */
  #begin(bounds: Bounds): void {
    this.#dirty = true;
    this.#stopped = null;
    this.#polls = 0;
    this.#bounds = bounds;
    // Clear the stack-limit marker of the previous run.
    this.#stackEnd().fill(0);
    this.#heapBefore = this.#words[this.#layout.breakWord]!;
    this.#module.refused = null;
    this.#module.imported = null;
    this.#words[this.#counter] = stepsPerInterrupt;
  }

  /** Asked by the engine every so many steps. */
  #interrupt(): boolean {
    this.#polls++;
    if (this.#stopped) return true;
    if (this.#polls * stepsPerInterrupt >= this.#bounds.steps) this.#stopped = "steps";
    else if (performance.now() > this.#bounds.deadline) this.#stopped = "wall";
    return this.#stopped !== null;
  }

  /** V8's own stack ran out below the engine's limit, or the engine trapped. */
  #broken(error: unknown): RawResult {
    this.healthy = false;
    return error instanceof RangeError ? { kind: "overflow" } : { kind: "trap" };
  }

  /** Updates usage after guest code ran, and classifies the result by what the host observed. */
  #end(result: RawResult): RawResult {
    this.memoryBytes = Math.max(0, this.#heapEnd() - this.#heapBefore);
    this.steps = this.#polls * stepsPerInterrupt + (stepsPerInterrupt - (this.#words[this.#counter]! | 0));
    if (this.#stopped) {
      this.healthy = false;
      return { kind: "stopped", by: this.#stopped };
    }
    // After a refused allocation the instance is not trusted any more, however the guest handled it.
    if (this.#module.refused !== null) {
      this.healthy = false;
      if (this.#module.refused === "memory") return { kind: "refused-memory" };
    }
    // An error that the guest let through is one of the stack where the stack was used up.
    if (result.kind === "exception" && this.reachedStackLimit()) return { kind: "overflow" };
    return result;
  }

  #argument(index: number, value: number): void {
    this.#words[(this.#anchors.argv >> 2) + index] = value;
  }

  /** Whether the last call used the stack down to its limit. */
  reachedStackLimit(): boolean {
    const end = this.#stackEnd();
    return this.#memory.compare(zeros, 0, end.length, end.byteOffset, end.byteOffset + end.length) !== 0;
  }

  /** The last of the stack above its limit, and the first below it. */
  #stackEnd(): Uint8Array {
    const limit = this.#layout.heapStart - this.#stackBytes;
    return this.#bytes.subarray(limit - 4_096, limit + 8_192);
  }

  #write(text: string): number {
    const memory = this.#memory;
    const { callBuffer } = this.#anchors;
    // Three bytes a code unit at most, so a short text needs no counting.
    if (text.length * 3 < callBufferBytes) {
      memory[callBuffer + memory.write(text, callBuffer, callBufferBytes - 1, "utf8")] = 0;
      return callBuffer;
    }
    return writeText(this.#module, text).at;
  }

  #read(value: number, maxBytes: number): string | null {
    const start = this.#module.exports._QTS_GetString(this.#anchors.context, value);
    if (start === 0) return "";
    this.#owned?.strings.push(start);
    const end = this.#memory.indexOf(0, start);
    if (end - start > maxBytes) return null;
    return this.#memory.toString("utf8", start, end);
  }

  #exception(value: number): RawResult | null {
    const { exports } = this.#module;
    const error = exports._QTS_ResolveException(this.#anchors.context, value);
    if (error === 0) return null;
    this.#own(error);
    if (this.#stopped) return { kind: "stopped", by: this.#stopped };
    return { kind: "exception", message: this.#describe(error), stack: this.#stackOf(error) };
  }

  /** Asks the guest for the text of an error, within the bounds of the call that failed. */
  #describe(error: number): string {
    const { exports } = this.#module;
    const text = exports._QTS_GetString(this.#anchors.context, error);
    if (text === 0) return "a value that cannot be described";
    this.#owned?.strings.push(text);
    return this.#memory.toString("utf8", text, Math.min(this.#memory.indexOf(0, text), text + 1_000));
  }

  /** The text of an error's stack, also within those bounds; empty where it has none. */
  #stackOf(error: number): string {
    const { exports } = this.#module;
    const { context } = this.#anchors;
    const name = writeText(this.#module, "stack");
    if (name.at === 0) return "";
    const key = exports._QTS_NewString(context, name.at);
    exports._free(name.at);
    const value = exports._QTS_GetProp(context, error, key);
    // A getter of the guest's may have thrown.
    if (exports._QTS_ResolveException(context, value) !== 0) return "";
    const text = exports._QTS_GetString(context, value);
    return text === 0
      ? ""
      : this.#memory.toString("utf8", text, Math.min(this.#memory.indexOf(0, text), text + 2_000));
  }

  /** For a module that failed to link, the refused import is a better message than the engine's. */
  #importing(failed: RawResult): RawResult {
    const { imported } = this.#module;
    if (imported === null) return failed;
    return { kind: "exception", message: `imports \`${imported}\`, and a program has no imports` };
  }

  #capture(limits: Limits, stackBytes: number): ProgramImage | null {
    const { exports } = this.#module;
    this.#clearStack(stackBytes);
    const words = this.#words;
    const { breakWord } = this.#layout;
    clearFreeMemory(this.#module, this.#layout);
    // Fill all memory but the call's allowance with one unused block: larger requests of the guest have to grow the
    // memory, which the host refuses and observes.
    const free = this.pages * pageBytes - words[breakWord]!;
    const ballastBytes = free - limits.memoryKb * 1_024;
    if (ballastBytes < 4_096) return null;
    const ballast = exports._malloc(ballastBytes);
    if (ballast === 0) return null;
    const heapEnd = words[breakWord]!;
    const headEnd = (ballast + 255) & ~255;
    const tailStart = Math.max(headEnd, (ballast + ballastBytes - 64) & ~255);
    return captureProgram(this.#memory, this.#layout, this.#base, { headEnd, tailStart, heapEnd });
  }

  /** End of the heap according to the engine, clamped: a corrupted engine can report any value. */
  #heapEnd(): number {
    return Math.min(this.#words[this.#layout.breakWord]!, this.#memory.length);
  }

  /** Clears the heap where no program's image says what lies in it; what was never written to stays untouched. */
  #clearHeap(end: number): void {
    this.#bytes.fill(0, this.#layout.heapStart, this.#fresh ? this.#base.heapEnd : end);
  }

  /** Clears the stack. Nearly all calls use little of it, so the rest is cleared only where it was used. */
  #clearUsedStack(stackBytes: number): void {
    const { heapStart } = this.#layout;
    const shallow = heapStart - shallowStackBytes;
    const unused = this.#memory.compare(zeros, 0, zeros.length, shallow - zeros.length, shallow) === 0;
    this.#bytes.fill(0, unused ? shallow : heapStart - stackBytes - stackMargin, heapStart);
  }

  #clearStack(stackBytes: number): void {
    const { heapStart } = this.#layout;
    this.#bytes.fill(0, heapStart - stackBytes - stackMargin, heapStart);
  }

  /** Restores the base image, overwriting the program. */
  #wipe(): void {
    const base = this.#base;
    const { heapStart, staticEnd } = this.#layout;
    const memory = this.#bytes;
    const heapEnd = Math.max(this.#heapEnd(), base.heapEnd);
    const program = this.#loaded;
    const stackBytes = program ? program.stackBytes : maxStackBytes;
    if (this.#fresh) this.#clearUsedStack(stackBytes);
    else this.#clearStack(stackBytes);
    if (program) {
      memory.fill(0, heapStart, program.image.headEnd);
      memory.fill(0, program.image.tailStart, Math.max(heapEnd, program.image.heapEnd));
    } else this.#clearHeap(heapEnd);
    memory.fill(0, 0, staticEnd);
    for (const piece of base.pieces) memory.set(piece.bytes, piece.at);
    this.#fresh = false;
    this.#loaded = null;
    this.#dirty = false;
  }
}
