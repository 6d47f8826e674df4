import { HookwardenError } from "../errors/index.ts";
import { type AcceptedHook, acceptHooks, type HookPart } from "./assemble.ts";
import { compileLimits } from "../compile/index.ts";
import {
  hookManifestFile,
  manifestTextLimits,
  packManifestFile,
  readHookManifest,
  readPackManifest,
} from "./manifest.ts";
import { pathInPack, type PackSource } from "../files/index.ts";
import type { PackManifest } from "./types.ts";

/** A pack with validated manifests; its scripts have not been read. */
export interface PackManifests {
  readonly manifest: PackManifest;
  readonly hooks: readonly AcceptedHook[];
}

/**
 * Reads and checks the manifests of a pack, and that its scripts are files of it.
 *
 * @param scriptBytes largest script. Default: as for sources; scripts that are bundled already may be larger.
 * @throws {HookwardenError}
 */
export async function readManifests(
  source: PackSource,
  scriptBytes: number = compileLimits.sourceBytes,
): Promise<PackManifests> {
  if ((await source.kind(packManifestFile)) === null) {
    throw new HookwardenError("pack-not-found", `the pack has no \`${packManifestFile}\``, {
      file: packManifestFile,
    });
  }
  const manifest = readPackManifest(await source.read(packManifestFile, manifestTextLimits.maxBytes));
  const parts = await readHooks(source, manifest);
  const hooks = acceptHooks(manifest, parts);
  for (const accepted of hooks) await source.read(scriptPath(accepted), scriptBytes);
  return { manifest, hooks };
}

/** Path of a hook's script, from the root of the pack. */
export function scriptPath({ folder, hook }: AcceptedHook): string {
  const file = folder === "" ? hookManifestFile : `${folder}/${hookManifestFile}`;
  return pathInPack(folder, hook.manifest.entry, { file, pointer: "/entry" });
}

async function readHooks(source: PackSource, manifest: PackManifest): Promise<readonly HookPart[]> {
  const parts: HookPart[] = [];
  const folders = new Set<string>();
  for (const [index, path] of manifest.hooks.entries()) {
    const place = { file: packManifestFile, pointer: `/hooks/${index}` };
    const folder = pathInPack("", path, place);
    // Some file systems treat `Guard` and `guard`, or two encodings of `é`, as one folder.
    const same = folder.normalize("NFC").toLowerCase();
    if (folders.has(same))
      throw new HookwardenError("pack-invalid", `the folder \`${folder}\` is listed twice`, place);
    folders.add(same);
    const file = `${folder}/${hookManifestFile}`;
    parts.push({
      folder,
      manifest: readHookManifest(await source.read(file, manifestTextLimits.maxBytes), file),
    });
  }
  return parts;
}
