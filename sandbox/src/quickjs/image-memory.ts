import { limitCeilings, type Limits } from "../limits.ts";
import type { Base } from "./base.ts";
import { clearFreeMemory } from "./free-memory.ts";
import { type BaseImage, captureProgram, type ProgramImage, restore } from "./image.ts";
import type { Layout } from "./layout.ts";
import type { EngineModule } from "./module.ts";
import type { LoadedProgram } from "./raw-result.ts";

/** What the stack may be used for below its limit: functions of the engine that do not check it. */
const stackMargin = 65_536;
/** The part of the stack that is cleared after every call. */
const shallowStackBytes = 32_768;
/** Deeper use shows here, just below it. */
const zeros = Buffer.alloc(16_384);
const maxStackBytes = limitCeilings.stackKb * 1_024;

/** The memory of one engine: which image it holds, and what has to be cleared or restored for another one. */
export class ImageMemory {
  readonly buffer: Buffer;
  /** The same memory, without what buffers add to its methods. */
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  /** The guest's stack limit as the engine has it. */
  stackBytes = 0;
  readonly #module: EngineModule;
  readonly #layout: Layout;
  readonly #base: BaseImage;
  /** Nothing has run in it yet: memory contains only the base image and traces of starting the engine. */
  #fresh = true;
  #loaded: LoadedProgram | null = null;
  #dirty = false;

  constructor(module: EngineModule, { layout, image }: Base) {
    this.#module = module;
    this.#layout = layout;
    this.#base = image;
    this.buffer = Buffer.from(module.memory.buffer);
    this.bytes = new Uint8Array(module.memory.buffer);
    this.words = new Uint32Array(module.memory.buffer);
    for (const piece of image.pieces) this.buffer.set(piece.bytes, piece.at);
  }

  /** The program whose image the memory holds, or that ran in it since. */
  get loaded(): LoadedProgram | null {
    return this.#loaded;
  }

  /** To be called before guest code runs: clears the mark of a stack that was used up. */
  begin(): void {
    this.#dirty = true;
    this.#stackEnd().fill(0);
  }

  /** Remembers a program that was loaded here. */
  adopt(program: LoadedProgram): void {
    this.#loaded = program;
    this.#dirty = true;
  }

  /** Puts the image of the last call's program back, so that the next call finds it. */
  tidy(): void {
    if (this.#loaded && this.#dirty) this.select(this.#loaded);
  }

  /** Restores a program's image. */
  select(program: LoadedProgram): void {
    const previous = this.#loaded;
    if (previous === program && !this.#dirty) return;
    const memory = this.bytes;
    const { image } = program;
    const heapEnd = Math.max(this.heapEnd, image.heapEnd);
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
    this.stackBytes = program.stackBytes;
    restore(memory, this.#base, image);
    this.#fresh = false;
    this.#dirty = false;
  }

  /** Restores the base image, overwriting the program. */
  wipe(): void {
    const base = this.#base;
    const { heapStart, staticEnd } = this.#layout;
    const memory = this.bytes;
    const heapEnd = Math.max(this.heapEnd, base.heapEnd);
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

  /** Takes the image of the program that was just loaded; `null` where it leaves no room for its calls. */
  capture(limits: Limits, stackBytes: number): ProgramImage | null {
    const { exports } = this.#module;
    this.#clearStack(stackBytes);
    const words = this.words;
    const { breakWord } = this.#layout;
    clearFreeMemory(this.#module, this.#layout);
    // Fill all memory but the call's allowance with one unused block: larger requests of the guest have to grow the
    // memory, which the host refuses and observes.
    const free = this.bytes.length - words[breakWord]!;
    const ballastBytes = free - limits.memoryKb * 1_024;
    if (ballastBytes < 4_096) return null;
    const ballast = exports._malloc(ballastBytes);
    if (ballast === 0) return null;
    const heapEnd = words[breakWord]!;
    const headEnd = (ballast + 255) & ~255;
    const tailStart = Math.max(headEnd, (ballast + ballastBytes - 64) & ~255);
    return captureProgram(this.buffer, this.#layout, this.#base, { headEnd, tailStart, heapEnd });
  }

  /** Whether the last call used the stack down to its limit. */
  reachedStackLimit(): boolean {
    const end = this.#stackEnd();
    return this.buffer.compare(zeros, 0, end.length, end.byteOffset, end.byteOffset + end.length) !== 0;
  }

  /** The last of the stack above its limit, and the first below it. */
  #stackEnd(): Uint8Array {
    const limit = this.#layout.heapStart - this.stackBytes;
    return this.bytes.subarray(limit - 4_096, limit + 8_192);
  }

  /** End of the heap according to the engine, clamped: a corrupted engine can report any value. */
  get heapEnd(): number {
    return Math.min(this.words[this.#layout.breakWord]!, this.buffer.length);
  }

  /** Clears the heap where no program's image says what lies in it; what was never written to stays untouched. */
  #clearHeap(end: number): void {
    this.bytes.fill(0, this.#layout.heapStart, this.#fresh ? this.#base.heapEnd : end);
  }

  /** Clears the stack. Nearly all calls use little of it, so the rest is cleared only where it was used. */
  #clearUsedStack(stackBytes: number): void {
    const { heapStart } = this.#layout;
    const shallow = heapStart - shallowStackBytes;
    const unused = this.buffer.compare(zeros, 0, zeros.length, shallow - zeros.length, shallow) === 0;
    this.bytes.fill(0, unused ? shallow : heapStart - stackBytes - stackMargin, heapStart);
  }

  #clearStack(stackBytes: number): void {
    const { heapStart } = this.#layout;
    this.bytes.fill(0, heapStart - stackBytes - stackMargin, heapStart);
  }
}
