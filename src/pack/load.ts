import { completePack } from "./assemble.ts";
import { type CompileOptions, compileScripts } from "../compile/index.ts";
import { folderSource, memorySource, type PackSource } from "../files/index.ts";
import { readManifests, scriptPath } from "./read-manifests.ts";
import type { LoadedPack } from "./types.ts";

export { type PackManifests, readListed, readManifests, readScript, scriptPath } from "./read-manifests.ts";
export type LoadOptions = CompileOptions;

/**
 * Loads a pack from its folder: reads and checks its manifests, and bundles its scripts. Runs no code of the pack.
 *
 * @throws {HookwardenError} with code, file, place and remedy; nothing is loaded then.
 */
export async function loadPack(dir: string, options: LoadOptions = {}): Promise<LoadedPack> {
  const source = await folderSource(dir);
  return load(source, source.root, options);
}

/**
 * Loads a pack whose files are in memory, by relative path. Its scripts may import from each other, from the packages
 * that are among the files, and from `options.nodeModules`.
 *
 * @throws {HookwardenError} with code, file, place and remedy; nothing is loaded then.
 */
export async function loadPackFromFiles(
  files: ReadonlyMap<string, Uint8Array>,
  options: LoadOptions = {},
): Promise<LoadedPack> {
  return load(memorySource(files), files, options);
}

async function load(
  source: PackSource,
  pack: string | ReadonlyMap<string, Uint8Array>,
  options: LoadOptions,
): Promise<LoadedPack> {
  const { manifest, hooks } = await readManifests(source);
  const scripts = await compileScripts(
    pack,
    hooks.map((accepted) => ({ name: accepted.hook.name, path: scriptPath(accepted) })),
    options,
  );
  return completePack(
    manifest,
    hooks,
    scripts.map(({ program }) => program),
    source.root,
  );
}
