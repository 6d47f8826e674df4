import type { Limits } from "../limits.ts";
import type { Message } from "../guest/message.ts";
import { type Anchors, type Base, callBufferBytes } from "./base.ts";
import { describeError, stackOf } from "./guest-error.ts";
import { ImageMemory } from "./image-memory.ts";
import { type Layout, stepsPerInterrupt, writeText } from "./layout.ts";
import { createModule, type EngineModule } from "./module.ts";
import { OwnedPointers } from "./owned-pointers.ts";
import type { Bounds, LoadedProgram, RawResult } from "./raw-result.ts";
import { guestStackBytes } from "./stack.ts";

const moduleFlag = 1;
const promise = { pending: 0, fulfilled: 1, rejected: 2 } as const;

/** One engine with its memory. Holds and runs one image at a time. */
export class Instance {
  readonly pages: number;
  /** `false` after anything that leaves the engine in doubt; it must be thrown away then. */
  healthy = true;
  /** Steps of the last call. */
  steps = 0;
  /** Bytes of heap that the last call took beyond the image. */
  memoryBytes = 0;
  readonly #module: EngineModule;
  readonly #layout: Layout;
  readonly #memory: ImageMemory;
  readonly #anchors: Anchors;
  #stopped: "steps" | "wall" | null = null;
  #polls = 0;
  #heapBefore = 0;
  #bounds: Bounds = { steps: 0, deadline: 0, maxReplyBytes: 0 };
  readonly #counter: number;
  /** What a call in a kept context has to free; restoring an image frees everything. */
  #owned: OwnedPointers | null = null;

  private constructor(module: EngineModule, pages: number, base: Base) {
    this.pages = pages;
    this.#anchors = base.anchors;
    this.#module = module;
    this.#layout = base.layout;
    this.#memory = new ImageMemory(module, base);
    this.#counter = (base.anchors.context >> 2) + base.layout.counterWord;
    module.interrupt = () => this.#interrupt();
  }

  /** Instantiates an engine and puts a base image into it. */
  static async create(pages: number, base: Base): Promise<Instance> {
    return new Instance(await createModule(pages), pages, base);
  }

  /** Evaluates a program in a clean engine and captures its image. The program is selected afterwards. */
  load(name: string, source: string, limits: Limits, bounds: Bounds): LoadedProgram | RawResult {
    this.#memory.wipe();
    const { exports } = this.#module;
    const { runtime } = this.#anchors;
    const stackBytes = guestStackBytes(limits.stackKb);
    this.#memory.stackBytes = stackBytes.load;
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
    this.#memory.stackBytes = stackBytes.run;
    const image = this.#memory.capture(limits, stackBytes.load);
    if (!image) return { kind: "refused-memory" };
    const program: LoadedProgram = { image, handlers, stackBytes: stackBytes.run };
    this.#memory.adopt(program);
    return program;
  }

  /** Evaluates a module and registers its exports with the prelude. */
  #evaluate(name: string, source: string, limits: Limits, maxReplyBytes: number): RawResult {
    const { exports } = this.#module;
    const { runtime, context, register, undefined: undef } = this.#anchors;
    exports._QTS_RuntimeSetMaxStackSize(runtime, this.#memory.stackBytes);
    const code = writeText(this.#module, source);
    const file = writeText(this.#module, name);
    if (code.at === 0 || file.at === 0) return { kind: "refused-memory" };
    let namespace = exports._QTS_Eval(context, code.at, code.bytes, file.at, 0, moduleFlag);
    // Clear the source text: it is not needed any more and would be part of every image.
    this.#memory.bytes.fill(0, code.at, code.at + code.bytes);
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
      return this.#thrown(error);
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
    this.#memory.select(program);
  }

  /** Puts the image of the last call's program back, so that the next call finds it. */
  tidy(): void {
    this.#memory.tidy();
  }

  /** Continues a program in the state that its last call left, or starts it. */
  resume(program: LoadedProgram): void {
    if (this.#memory.loaded !== program) this.select(program);
    this.#owned ??= new OwnedPointers();
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
    if (this.healthy) this.#owned?.free(this.#module.exports, this.#anchors.context);
    return result;
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
    this.#memory.buffer[
      callBuffer + this.#memory.buffer.write(message.handler, callBuffer, callBufferBytes - 1, "utf8")
    ] = 0;
    this.#argument(1, this.#own(exports._QTS_NewString(context, callBuffer)));
    this.#memory.buffer[callBuffer + this.#memory.buffer.write(message.numbers, callBuffer, "latin1")] = 0;
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
    this.#memory.begin();
    this.#stopped = null;
    this.#polls = 0;
    this.#bounds = bounds;
    this.#heapBefore = this.#memory.words[this.#layout.breakWord]!;
    this.#module.refused = null;
    this.#module.imported = null;
    this.#memory.words[this.#counter] = stepsPerInterrupt;
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
    this.memoryBytes = Math.max(0, this.#memory.heapEnd - this.#heapBefore);
    this.steps =
      this.#polls * stepsPerInterrupt + (stepsPerInterrupt - (this.#memory.words[this.#counter]! | 0));
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
    this.#memory.words[(this.#anchors.argv >> 2) + index] = value;
  }

  /** Whether the last call used the stack down to its limit. */
  reachedStackLimit(): boolean {
    return this.#memory.reachedStackLimit();
  }

  #write(text: string): number {
    const memory = this.#memory.buffer;
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
    const end = this.#memory.buffer.indexOf(0, start);
    if (end - start > maxBytes) return null;
    return this.#memory.buffer.toString("utf8", start, end);
  }

  #exception(value: number): RawResult | null {
    const { exports } = this.#module;
    const error = exports._QTS_ResolveException(this.#anchors.context, value);
    if (error === 0) return null;
    this.#own(error);
    if (this.#stopped) return { kind: "stopped", by: this.#stopped };
    return this.#thrown(error);
  }

  #thrown(error: number): RawResult {
    const { context } = this.#anchors;
    const message = describeError(this.#module, context, error, this.#owned?.strings);
    return { kind: "exception", message, stack: stackOf(this.#module, context, error) };
  }

  /** For a module that failed to link, the refused import is a better message than the engine's. */
  #importing(failed: RawResult): RawResult {
    const { imported } = this.#module;
    if (imported === null) return failed;
    return { kind: "exception", message: `imports \`${imported}\`, and a program has no imports` };
  }
}
