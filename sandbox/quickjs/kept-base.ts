import { inflateRawSync } from "node:zlib";
import { type Anchors, type Base, makeBase } from "./base.ts";
import { keptBase } from "./generated/base.ts";
import { captureBase } from "./image.ts";
import type { Layout } from "./layout.ts";
import { createModule, engineVersion } from "./module.ts";

/** A base as it is written down, without the static data that every fresh engine has. */
export interface KeptBase {
  /** The engine that it was made with. */
  readonly engine: string;
  readonly layout: Layout;
  readonly anchors: Anchors;
  readonly heapEnd: number;
  /** Start and length of each piece that differs from a fresh engine, or that holds something in the heap. */
  readonly areas: readonly (readonly [at: number, bytes: number])[];
  /** The pieces, one after the other; deflated, in base64. */
  readonly bytes: string;
}

/**
 * The base for the sandboxes of a process. To make it takes a cold engine a tenth of a second and more, so the package
 * carries one that was made before; it is made anew where another version of the engine is installed.
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
