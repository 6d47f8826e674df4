import { preludeSource } from "../guest/generated/prelude.ts";
import { permits } from "../guest/permits.ts";
import { evaluate, findLayout, type Layout } from "./layout.ts";
import { createModule, type EngineModule } from "./module.ts";

/** What is learned of the engine before an image of it is made. The same in every process. */
export interface Survey {
  readonly layout: Layout;
  /** What the allow-list takes away, as the prelude's `remove` takes it. */
  readonly taken: string;
}

/**
 * Explores an engine that is thrown away afterwards: where its parts lie, and what of its globals the allow-list does
 * not name. Going by the whole list leaves far more behind in memory than taking away what it came to.
 */
export async function survey(): Promise<Survey> {
  const module = await createModule();
  const layout = findLayout(module);
  const { exports } = module;
  const context = exports._QTS_NewContext(exports._QTS_NewRuntime(), 0);
  const taken = evaluate(
    module,
    context,
    `JSON.stringify(${preludeSource}(null).confine(${JSON.stringify(permits)}))`,
  );
  if (exports._QTS_ResolveException(context, taken) !== 0)
    throw new Error("the guest's prelude does not run");
  const at = exports._QTS_GetString(context, taken);
  const memory = Buffer.from(module.memory.buffer);
  return { layout, taken: memory.toString("utf8", at, memory.indexOf(0, at)) };
}

/** Source of a script that makes the world of a guest and gives the prelude's functions. */
export function worldSource(taken: string): string {
  return `(() => { const world = ${preludeSource}(null); world.remove(${taken}); return world; })()`;
}

/** Most that is asked for at once while free memory is cleared, and least. */
const largest = 65_536;
const least = 8;

/**
 * Zeroes what the engine's allocator has free: takes block after block, from large to small, clears it and gives all of
 * them back.
 */
export function clearFreeMemory({ exports, memory }: EngineModule, layout: Layout, crumb = 0): void {
  const words = new Uint32Array(memory.buffer);
  const bytes = new Uint8Array(memory.buffer);
  const end = words[layout.breakWord]!;
  const blocks: number[] = [];
  for (let size = largest; size >= least; size = size > 64 ? size >> 1 : size - 8) {
    for (;;) {
      const at = exports._malloc(size);
      if (at === 0) break;
      // Beyond the old end nothing has ever been written.
      if (at + size > end) {
        exports._free(at);
        break;
      }
      bytes.fill(0, at, at + size);
      if (size > crumb) blocks.push(at);
    }
  }
  for (const block of blocks) exports._free(block);
}
