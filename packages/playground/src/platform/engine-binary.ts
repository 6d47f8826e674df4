import { gunzipSync } from "fflate";
// Both are put here when the page is built.
import packed from "hookwarden:engine";
import version from "hookwarden:engine-version";

/** The bytes of the compiled engine, which the page carries with it. */
export function engineBinary(): Uint8Array<ArrayBuffer> {
  return gunzipSync(packed) as Uint8Array<ArrayBuffer>;
}

/** Version of the package that the engine comes from. */
export const enginePackageVersion: string = version;
