import { inflateSync } from "fflate";

/** Stands in for `node:zlib`: what a page needs of it. */
export function inflateRawSync(bytes: Uint8Array): Uint8Array {
  return inflateSync(bytes);
}
