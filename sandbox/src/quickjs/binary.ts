import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Where the engine's binary comes from: the only file of the engine that a page in a browser has another one for. */

const require = createRequire(import.meta.url);

/** The bytes of the compiled engine. */
export function engineBinary(): Uint8Array<ArrayBuffer> {
  return readFileSync(require.resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm"));
}

/** Version of the package that the engine comes from. */
export const enginePackageVersion: string = (
  require("@jitl/quickjs-ng-wasmfile-release-sync/package.json") as { version: string }
).version;
