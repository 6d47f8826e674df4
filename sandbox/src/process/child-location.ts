import { existsSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { EngineName } from "../contract.ts";

/** Packages that an engine reads files of while it loads. */
const enginePackages: { readonly [E in EngineName]: readonly string[] } = {
  quickjs: ["@jitl/quickjs-ng-wasmfile-release-sync"],
  isolate: ["isolated-vm", "node-gyp-build"],
};

export interface ChildLocation {
  /** Path of the script that the child runs. */
  readonly script: string;
  /** Files and folders that it must be able to read while it loads, and nothing else. */
  readonly reads: readonly string[];
}

/** Where the child's program is: beside this file in the sources, in `dist/sandbox-child.js` in the package. */
export function childLocation(engine: EngineName): ChildLocation {
  const inSources = import.meta.url.endsWith(".ts");
  const script = fileURLToPath(new URL(inSources ? "./child.ts" : "./sandbox-child.js", import.meta.url));
  const folder = inSources ? dirname(dirname(script)) : dirname(script);
  const reads = [folder + sep, join(dirname(folder), "package.json")];
  const require = createRequire(import.meta.url);
  for (const name of enginePackages[engine]) {
    const found = packageFolder(name, require.resolve.paths(name) ?? []);
    if (found) reads.push(found + sep);
  }
  // The loader of native addons asks whether this file exists, to tell which C library there is.
  if (engine === "isolate" && process.platform === "linux") reads.push("/etc/alpine-release");
  return { script, reads: [...new Set(reads.flatMap((path) => [path, realPath(path)]))] };
}

/** Found by its folder rather than by resolving it, because `exports` of a package may hide its package.json. */
function packageFolder(name: string, folders: readonly string[]): string | undefined {
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, "package.json")));
}

function realPath(path: string): string {
  try {
    return realpathSync(path) + (path.endsWith(sep) ? sep : "");
  } catch {
    return path;
  }
}
