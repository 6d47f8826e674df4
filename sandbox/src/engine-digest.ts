import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { EngineName } from "./contract.ts";
import { preludeSource } from "./guest/generated/prelude.ts";

/**
 * Digest of what runs a program: the engine's name and version, its binary as far as this package carries it, and the
 * prelude that every program runs behind.
 *
 * @returns `sha256:` and 64 hexadecimal digits.
 */
export function engineDigest(name: EngineName, version: string): string {
  const binary = name === "quickjs" ? hash("sha256", readFileSync(wasmPath()), "hex") : process.versions.v8;
  return `sha256:${hash("sha256", `${name}\n${version}\n${binary}\n${preludeSource}`, "hex")}`;
}

function wasmPath(): string {
  return createRequire(import.meta.url).resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm");
}
