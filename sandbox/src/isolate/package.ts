import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type IsolatedVm from "isolated-vm";
import { EngineMissingError } from "../engine-missing.ts";

/** What the package exports. It is optional, so only its types are imported at build time. */
export type Ivm = typeof IsolatedVm;

/**
 * Loads isolated-vm. Throws `EngineMissingError` where it is not installed, has no build for this machine, or would
 * crash because Node.js was started from its own snapshot.
 */
export async function loadPackage(): Promise<Ivm> {
  let loaded: { readonly default: Ivm };
  try {
    loaded = await import("isolated-vm");
  } catch (error) {
    throw new EngineMissingError(
      "isolate",
      "the isolate engine needs the package `isolated-vm`, which is not installed or has no build for this " +
        "machine; run `npm install isolated-vm`, or use the quickjs engine",
      { cause: error },
    );
  }
  const flag = "--no-node-snapshot";
  if (!process.execArgv.includes(flag) && !(process.env["NODE_OPTIONS"] ?? "").split(" ").includes(flag)) {
    throw new EngineMissingError(
      "isolate",
      `the isolate engine needs Node.js to be started with \`${flag}\``,
    );
  }
  return loaded.default;
}

/** Package and engine with their versions, for the record. */
export function packageVersion(): string {
  const path = createRequire(import.meta.url).resolve("isolated-vm/package.json");
  const { version } = JSON.parse(readFileSync(path, "utf8")) as { version: string };
  return `isolated-vm ${version}, V8 ${process.versions.v8}`;
}
