import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { type AcceptedHook, acceptHooks, type HookPart } from "./assemble.ts";
import { compileLimits } from "../compile/index.ts";
import {
  hookManifestFile,
  manifestTextLimits,
  packManifestFile,
  readHookManifest,
  readPackManifest,
  together,
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
  if ((await source.kind(packManifestFile)) === null) throw await noManifest(source);
  const manifest = readPackManifest(await source.read(packManifestFile, manifestTextLimits.maxBytes));
  const parts = await readHooks(source, manifest);
  const hooks = acceptHooks(manifest, parts);
  for (const accepted of hooks) await readScript(source, accepted, scriptBytes);
  return { manifest, hooks };
}

async function noManifest(source: PackSource): Promise<HookwardenError> {
  const { root = "" } = source;
  const isHook = root !== "" && (await source.kind(hookManifestFile)) === "file";
  const message = isHook
    ? `the folder ${quote(root)} is one hook, and has no \`${packManifestFile}\``
    : `the folder has no \`${packManifestFile}\``;
  const fix = isHook ? { fix: `Pass the folder of its pack: ${quote(parentOf(root))}.` } : {};
  return new HookwardenError("pack-not-found", message, { file: packManifestFile }, fix);
}

/**
 * Checks that a hook's script is a file of the pack.
 *
 * @throws {HookwardenError}
 */
export async function readScript(
  source: PackSource,
  accepted: AcceptedHook,
  maxBytes: number,
): Promise<void> {
  const path = scriptPath(accepted);
  if ((await source.kind(path)) !== null) return void (await source.read(path, maxBytes));
  const place = { file: hookManifestFile, pointer: "/entry" };
  const stem = accepted.hook.manifest.entry.replace(/\.[cm]?[jt]s$/, "");
  for (const name of [`${stem}.ts`, `${stem}.js`, "hook.ts", "hook.js", "index.ts", "index.js"]) {
    if ((await source.kind(pathInPack(accepted.folder, name, place))) !== "file") continue;
    throw noScript(accepted, `; did you mean ${quote(name)}?`);
  }
  throw noScript(accepted, "");
}

function noScript({ folder, hook }: AcceptedHook, hint: string): HookwardenError {
  const place = {
    file: folder === "" ? hookManifestFile : `${folder}/${hookManifestFile}`,
    pointer: "/entry",
  };
  const message = `the script ${quote(hook.manifest.entry)} is missing from the hook's folder${hint}`;
  return new HookwardenError("file-unreadable", message, place, {
    fix: "Create the script, or correct `entry`.",
  });
}

/** Path of a hook's script, from the root of the pack. */
export function scriptPath({ folder, hook }: AcceptedHook): string {
  const file = folder === "" ? hookManifestFile : `${folder}/${hookManifestFile}`;
  return pathInPack(folder, hook.manifest.entry, { file, pointer: "/entry" });
}

async function readHooks(source: PackSource, manifest: PackManifest): Promise<readonly HookPart[]> {
  const parts: HookPart[] = [];
  const errors: HookwardenError[] = [];
  const folders = new Set<string>();
  for (const [index, path] of manifest.hooks.entries()) {
    const place = { file: packManifestFile, pointer: `/hooks/${index}` };
    const folder = pathInPack("", path, place);
    // Some file systems treat `Guard` and `guard`, or two encodings of `é`, as one folder.
    const same = folder.normalize("NFC").toLowerCase();
    if (folders.has(same))
      throw new HookwardenError("pack-invalid", `the folder \`${folder}\` is listed twice`, place);
    folders.add(same);
    try {
      parts.push(await readListed(source, folder, index));
    } catch (error) {
      if (!(error instanceof HookwardenError)) throw error;
      errors.push(error);
    }
  }
  if (errors.length > 0) throw together(errors);
  return parts;
}

/**
 * Reads the manifest of a hook that the pack lists.
 *
 * @param index of the folder in `hooks`.
 * @throws {HookwardenError}
 */
export async function readListed(source: PackSource, folder: string, index: number): Promise<HookPart> {
  const file = `${folder}/${hookManifestFile}`;
  if ((await source.kind(file)) === null) {
    const kind = await source.kind(folder);
    const what =
      kind === null
        ? "which is missing"
        : kind === "file"
          ? "which is a file"
          : `which has no \`${hookManifestFile}\``;
    const fix =
      kind === "file" && folder.endsWith(`/${hookManifestFile}`)
        ? `List its folder: ${quote(parentOf(folder))}.`
        : `Create the folder with a \`${hookManifestFile}\`, or remove it from \`hooks\`.`;
    const place = { file: packManifestFile, pointer: `/hooks/${index}` };
    throw new HookwardenError(
      "file-unreadable",
      `the pack lists the folder ${quote(folder)}, ${what}`,
      place,
      { fix },
    );
  }
  return { folder, manifest: readHookManifest(await source.read(file, manifestTextLimits.maxBytes), file) };
}

function parentOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, "") || "/";
}
