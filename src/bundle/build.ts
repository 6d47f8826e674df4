import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { type CompiledScript, type CompileOptions, compileScripts } from "../compile/index.ts";
import {
  completePack,
  readManifests,
  scriptPath,
  hookManifestFile,
  manifestTextLimits,
  packManifestFile,
} from "../pack/index.ts";
import { folderSource, memorySource } from "../files/index.ts";
import { compress } from "./gzip.ts";
import { importPrivateKey } from "./keys.ts";
import { packedLimits } from "./limits.ts";
import { type BundleList, isPlainName, isVersion, listOf, writeList } from "./list.ts";
import { bundlePathProblem, BundlePaths, byPath, listFile, mapPathOf, signatureFile } from "./names.ts";
import { sign } from "./signature.ts";
import { type BundleEntryFile, writeTar } from "./tar.ts";

export interface BuildOptions extends CompileOptions {
  /** Name of the bundle, where the pack's manifest has none. */
  readonly name?: string;
  /** Version of the bundle, where the pack's manifest has none. */
  readonly version?: string;
  /** Where it is meant to run. Default `default`. */
  readonly target?: string;
  /** A private Ed25519 key as JWK. Default: the bundle is not signed, and no host accepts it. */
  readonly key?: unknown;
}

/** A bundle, ready to be written to a file. */
export interface BuiltBundle {
  readonly bytes: Buffer;
  readonly list: BundleList;
  readonly signed: boolean;
}

/**
 * Makes a bundle of a pack: its manifests as they are, and each hook's script with all that it imports as one module.
 * The same pack, packages and key make the same bytes on every machine.
 *
 * @param pack the folder, or the files by relative path.
 * @throws {HookwardenError} as loading the pack does; `option-invalid` for a name, version or target that a bundle
 * cannot have; `bundle-invalid` for a path that it cannot have; `trust-invalid` for a key that cannot sign.
 */
export async function buildBundle(
  pack: string | ReadonlyMap<string, Uint8Array>,
  options: BuildOptions = {},
): Promise<BuiltBundle> {
  const signer = options.key === undefined ? null : await importPrivateKey(options.key);
  const source = typeof pack === "string" ? await folderSource(pack) : memorySource(pack);
  const { manifest, hooks } = await readManifests(source);
  const name = agreed("name", manifest.name, options.name);
  const version = agreed("version", manifest.version, options.version);
  const { target = "default" } = options;
  if (!isPlainName(name)) cannot(`a bundle cannot have the name ${quote(name)}`);
  if (!isVersion(version)) cannot(`a bundle needs a semantic version, and ${quote(version)} is none`);
  if (!isPlainName(target)) cannot(`a bundle cannot have the target ${quote(target)}`);
  const scripts = await compileScripts(
    typeof pack === "string" ? (source.root as string) : pack,
    hooks.map((accepted) => ({ name: accepted.hook.name, path: scriptPath(accepted) })),
    options,
  );
  const files = new Files();
  files.add(packManifestFile, await source.read(packManifestFile, manifestTextLimits.maxBytes));
  for (const [index, accepted] of hooks.entries()) {
    const path = accepted.folder === "" ? hookManifestFile : `${accepted.folder}/${hookManifestFile}`;
    files.add(path, await source.read(path, manifestTextLimits.maxBytes));
    const { source: text, map } = (scripts[index] as CompiledScript).program;
    files.add(scriptPath(accepted), Buffer.from(text));
    const mapPath = mapPathOf(scriptPath(accepted));
    if (typeof map === "string" && bundlePathProblem(mapPath) === null) files.add(mapPath, Buffer.from(map));
  }
  const { digest } = completePack(
    manifest,
    hooks,
    scripts.map(({ program }) => program),
  );
  const sorted = files.sorted();
  const list: BundleList = { format: 1, name, version, target, pack: digest, files: listOf(sorted) };
  const bytes = writeList(list);
  const head = [{ path: listFile, bytes }];
  if (signer) head.push({ path: signatureFile, bytes: await sign(bytes, signer) });
  const packed = compress(writeTar([...head, ...sorted]));
  if (packed.length > packedLimits.packedBytes)
    cannot(`the bundle would be larger than ${packedLimits.packedBytes} bytes`);
  return { bytes: packed, list, signed: signer !== null };
}

/** The files of a bundle that is being made. */
class Files {
  readonly #files = new Map<string, Buffer>();
  readonly #paths = new BundlePaths();

  add(path: string, bytes: Uint8Array): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const before = this.#files.get(path);
    if (before?.equals(buffer)) return;
    if (before)
      throw new HookwardenError("bundle-invalid", `two hooks want ${quote(path)} to be different files`);
    if (path === listFile || path === signatureFile) {
      throw new HookwardenError("bundle-invalid", `the path ${quote(path)} is taken by the bundle itself`);
    }
    this.#paths.add(path);
    this.#files.set(path, buffer);
  }

  sorted(): BundleEntryFile[] {
    return [...this.#files].map(([path, bytes]) => ({ path, bytes })).sort(byPath);
  }
}

/** What the pack says, else what the caller says; both only where they say the same. */
function agreed(what: "name" | "version", said: string | undefined, given: string | undefined): string {
  if (said !== undefined && given !== undefined && said !== given) {
    cannot(`the pack has the ${what} ${quote(said)}, and ${quote(given)} was asked for`);
  }
  const value = said ?? given;
  if (value === undefined)
    cannot(`a bundle needs a ${what}: give \`${what}\` in \`${packManifestFile}\`, or with the options`);
  return value;
}

function cannot(message: string): never {
  throw new HookwardenError("option-invalid", message);
}
