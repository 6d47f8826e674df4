import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Loads the engine's binary: the only module that a browser build replaces. */

const require = createRequire(import.meta.url);

/** The bytes of the compiled engine. */
export function engineBinary(): Uint8Array<ArrayBuffer> {
  return readFileSync(require.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm"));
}

/** Version of the package that the engine comes from. */
export const enginePackageVersion: string = (
  require("@jitl/quickjs-ng-wasmfile-release-sync/package.json") as { version: string }
).version;
