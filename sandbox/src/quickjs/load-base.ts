import { inflateRawSync } from "node:zlib";
import { type Base, makeBase } from "./base.ts";
import { keptBase } from "./generated/base.ts";
import { captureBase } from "./image.ts";

import { createModule, engineVersion } from "./module.ts";

/**
 * The base for the sandboxes of a process. Building it takes a cold engine 100 ms and more, so the package
 * ships a prebuilt one; it is rebuilt if another version of the engine is installed.
 */
export async function loadBase(): Promise<Base> {
  if (keptBase.engine !== engineVersion) return makeBase();
  const { layout, anchors, heapEnd, areas } = keptBase;
  const memory = new Uint8Array((await createModule()).memory.buffer);
  memory.fill(0, layout.heapStart, heapEnd);
  const bytes = inflateRawSync(Buffer.from(keptBase.bytes, "base64"));
  let read = 0;
  for (const [at, length] of areas) {
    memory.set(bytes.subarray(read, read + length), at);
    read += length;
  }
  return { layout, anchors, image: captureBase(memory, layout, heapEnd) };
}
