import { deflateSync } from "fflate";
import { makeBase } from "../../sandbox/src/quickjs/base.ts";
import type { SerializedBase } from "../../sandbox/src/quickjs/base-format.ts";
import { createModule, engineVersion } from "../../sandbox/src/quickjs/module.ts";
import { preludeText } from "./prelude.ts";

/** Runs of bytes that differ, and that at most so many bytes lie between, are kept as one. */
const gap = 64;

/** The text of `sandbox/src/quickjs/generated/base.ts`: the engine's memory with the guest's world in it. */
export async function baseModule(): Promise<string> {
  const { layout, anchors, image } = await makeBase(preludeText());
  const fresh = new Uint8Array((await createModule()).memory.buffer);
  fresh.fill(0, layout.heapStart);
  const world = fresh.slice();
  world.set(image.statics, 0);
  world.set(image.heap, layout.heapStart);
  const areas: [at: number, bytes: number][] = [];
  for (let at = 0; at < image.heapEnd; at++) {
    if (world[at] === fresh[at]) continue;
    const last = areas.at(-1);
    if (last && at - (last[0] + last[1]) <= gap) last[1] = at + 1 - last[0];
    else areas.push([at, 1]);
  }
  const bytes = Buffer.concat(areas.map(([at, length]) => world.subarray(at, at + length)));
  const kept: SerializedBase = {
    engine: engineVersion,
    layout,
    anchors,
    heapEnd: image.heapEnd,
    areas,
    bytes: Buffer.from(deflateSync(bytes, { level: 9 })).toString("base64"),
  };
  return [
    "// Generated from the engine and sandbox/src/guest/prelude.js by `npm run generate`.",
    'import type { SerializedBase } from "../base-format.ts";',
    "",
    `export const keptBase: SerializedBase = ${JSON.stringify(kept)};`,
    "",
  ].join("\n");
}
