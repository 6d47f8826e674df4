import { preludeSource } from "../guest/generated/prelude.ts";
import { permits } from "../guest/permits.ts";
import { clearFreeMemory } from "./free-memory.ts";
import { type BaseImage, captureBase } from "./image.ts";
import { evaluate, findLayout, type Layout, writeText } from "./layout.ts";
import { createModule } from "./module.ts";

/** Texts up to this size are written into a buffer that belongs to the image; larger ones are allocated for the call. */
export const callBufferBytes = 32_768;
/** Free blocks up to this size are never reused, so that programs are contiguous and their images small. */
const smallBlockBytes = 512;

/** Pointers to what the prelude left in the base image. The same in every instance. */
export interface Anchors {
  readonly runtime: number;
  readonly context: number;
  readonly undefined: number;
  readonly entry: number;
  readonly poll: number;
  readonly register: number;
  readonly callBuffer: number;
  readonly argv: number;
}

/** The engine with the guest's world in it, and no program yet: what every program starts from. */
export interface Base {
  readonly layout: Layout;
  readonly anchors: Anchors;
  readonly image: BaseImage;
}

/** Makes the base: runtime, context and prelude, evaluated once. The same bytes on every machine. */
export async function makeBase(prelude: string = preludeSource): Promise<Base> {
  const { layout, taken } = await survey(prelude);
  const module = await createModule();
  const { exports } = module;
  const runtime = exports._QTS_NewRuntime();
  const context = exports._QTS_NewContext(runtime, 0);
  exports._QTS_RuntimeEnableInterruptHandler(runtime);
  exports._QTS_RuntimeEnableModuleLoader(runtime, 1);
  const source = `(() => { const world = ${prelude}(null); world.remove(${taken}); return world; })()`;
  const world = evaluate(module, context, source);
  const property = (name: string): number => {
    const text = writeText(module, name);
    const key = exports._QTS_NewString(context, text.at);
    exports._free(text.at);
    const value = exports._QTS_GetProp(context, world, key);
    exports._QTS_FreeValuePointer(context, key);
    return value;
  };
  if (exports._QTS_ResolveException(context, world) !== 0)
    throw new Error("the guest's prelude does not run");
  const anchors: Anchors = {
    runtime,
    context,
    undefined: exports._QTS_GetUndefined(),
    entry: property("entry"),
    poll: property("poll"),
    register: property("register"),
    callBuffer: exports._malloc(callBufferBytes),
    argv: exports._malloc(16),
  };
  // Drop what was only needed for setup, and clear free memory: every call copies the image.
  exports._QTS_FreeValuePointer(context, world);
  clearFreeMemory(module, layout, smallBlockBytes);
  const memory = new Uint8Array(module.memory.buffer);
  memory.fill(0, anchors.callBuffer, anchors.callBuffer + callBufferBytes);
  const heapEnd = new Uint32Array(module.memory.buffer)[layout.breakWord]!;
  return { layout, anchors, image: captureBase(memory, layout, heapEnd) };
}

/**
 * Explores an engine that is thrown away afterwards: where its parts lie, and what of its globals the allow-list does
 * not name. Going by the whole list leaves far more behind in memory than taking away what it came to.
 */
async function survey(prelude: string): Promise<{ readonly layout: Layout; readonly taken: string }> {
  const module = await createModule();
  const layout = findLayout(module);
  const { exports } = module;
  const context = exports._QTS_NewContext(exports._QTS_NewRuntime(), 0);
  const source = `JSON.stringify(${prelude}(null).confine(${JSON.stringify(permits)}))`;
  const taken = evaluate(module, context, source);
  if (exports._QTS_ResolveException(context, taken) !== 0)
    throw new Error("the guest's prelude does not run");
  const at = exports._QTS_GetString(context, taken);
  const memory = Buffer.from(module.memory.buffer);
  return { layout, taken: memory.toString("utf8", at, memory.indexOf(0, at)) };
}
