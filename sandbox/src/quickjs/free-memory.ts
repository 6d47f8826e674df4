import type { Layout } from "./layout.ts";
import type { EngineModule } from "./module.ts";

/** Most that is asked for at once while free memory is cleared, and least. */
const maxBlockBytes = 65_536;
const minBlockBytes = 8;

/**
 * Zeroes what the engine's allocator has free: takes block after block, from large to small, clears it and gives all of
 * them back.
 *
 * @param smallBlock blocks of at most so many bytes are not given back, so that what comes later is not scattered over them
 */
export function clearFreeMemory({ exports, memory }: EngineModule, layout: Layout, smallBlock = 0): void {
  const words = new Uint32Array(memory.buffer);
  const bytes = new Uint8Array(memory.buffer);
  const end = words[layout.breakWord]!;
  const blocks: number[] = [];
  for (let size = maxBlockBytes; size >= minBlockBytes; size = size > 64 ? size >> 1 : size - 8) {
    for (;;) {
      const at = exports._malloc(size);
      if (at === 0) break;
      // Memory beyond the old end was never written.
      if (at + size > end) {
        exports._free(at);
        break;
      }
      bytes.fill(0, at, at + size);
      if (size > smallBlock) blocks.push(at);
    }
  }
  for (const block of blocks) exports._free(block);
}
