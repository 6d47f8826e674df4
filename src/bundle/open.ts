import { isUtf8 } from "node:buffer";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import {
  completePack,
  readManifests,
  scriptPath,
  hookManifestFile,
  packManifestFile,
  type LoadedPack,
} from "../pack/index.ts";
import { compileLimits, type MappedProgram } from "../compile/index.ts";
import { sha256, memorySource } from "../files/index.ts";
import { decompress } from "./gzip.ts";
import { packedLimits } from "./limits.ts";
import { type BundleList, readList, writeList } from "./list.ts";
import { invalid, mapPathOf, signatureFile } from "./names.ts";
import { verifySignature } from "./signature.ts";
import { type BundleEntryFile, readTar } from "./tar.ts";
import { type CheckedTrust, isOlder } from "./trust.ts";

/** The least that a bundle must be, beside trusted. */
export interface Floor {
  readonly version: string;
  /** Digest of the content that has this version, where it is known: the version may then mean no other one. */
  readonly digest?: string;
}

export interface OpenOptions {
  /** What the host trusts; `null` for looking at a bundle without trusting it. */
  readonly trust: CheckedTrust | null;
  /** Beside the floor of the trust file: for instance what serves now. */
  readonly floors?: readonly Floor[];
  /** Time to hold keys to, in milliseconds since 1970. Default: now. */
  readonly now?: number;
}

/** A bundle whose every byte has been accounted for. */
export interface OpenedBundle {
  readonly list: BundleList;
  /** `sha256:` of the signed content, as `digestOfList` has it: the same however the file is compressed. */
  readonly digest: string;
  /** Name of the key that signed it; `null` where nothing was asked for. */
  readonly key: string | null;
  /** Whether it carries a signature, looked at or not. */
  readonly signed: boolean;
  readonly pack: LoadedPack;
}

/**
 * Opens a bundle in memory: unpacks it within limits, holds every file to the list, the list to its signature, the
 * signature to the host's trust, the version to the floors, and loads the pack from these very bytes. Writes nothing,
 * and runs no code of the bundle.
 *
 * @throws {HookwardenError} `bundle-invalid`, `bundle-untrusted`, `bundle-rollback`, or as loading a pack does
 */
export async function openBundle(packed: Uint8Array, options: OpenOptions): Promise<OpenedBundle> {
  const { trust, floors = [], now = Date.now() } = options;
  const entries = readTar(await decompress(packed));
  const { list, files } = readList(entries);
  const digest = digestOfList(list);
  const signature = entries[1]?.path === signatureFile ? entries[1].bytes : null;
  let key: string | null = null;
  if (trust) {
    if (!signature) throw new HookwardenError("bundle-untrusted", "the bundle is not signed");
    const { bytes } = entries[0] as BundleEntryFile;
    key = await verifySignature(
      { bytes, type: "hookwarden-bundle", bundle: list.name },
      signature,
      trust,
      now,
    );
    checkPurpose(list, trust);
    if (!trust.approved.has(digest)) {
      for (const floor of trust.floor === null ? floors : [{ version: trust.floor }, ...floors])
        checkFloor(list, digest, floor);
    }
  }
  return { list, digest, key, signed: signature !== null, pack: await loadFiles(list, files) };
}

/**
 * What a bundle is known by: `sha256:` of `bundle.json`, which lists every file with its own digest, and is what the
 * signature covers. Not of the file: the same content can be compressed in many ways, and anybody can do so.
 */
export function digestOfList(list: BundleList): string {
  return sha256(writeList(list));
}

function checkPurpose({ name, target }: BundleList, trust: CheckedTrust): void {
  if (trust.name !== null && name !== trust.name) {
    throw new HookwardenError(
      "bundle-untrusted",
      `the bundle is ${quote(name)}, and ${quote(trust.name)} is wanted`,
    );
  }
  if (target !== trust.target) {
    const message = `the bundle is made for the target ${quote(target)}, and this is ${quote(trust.target)}`;
    throw new HookwardenError("bundle-untrusted", message);
  }
}

function checkFloor({ version }: BundleList, digest: string, floor: Floor): void {
  if (isOlder(version, floor.version)) {
    throw new HookwardenError(
      "bundle-rollback",
      `version ${version} is older than ${floor.version}, which is the least`,
    );
  }
  const same = !isOlder(floor.version, version);
  if (same && floor.digest !== undefined && floor.digest !== digest) {
    throw new HookwardenError("bundle-rollback", `version ${version} was accepted with other content before`);
  }
}

/** The pack, from the files that were verified. Its scripts are programs already. */
async function loadFiles(list: BundleList, files: readonly BundleEntryFile[]): Promise<LoadedPack> {
  const byPath = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const { manifest, hooks } = await readManifests(memorySource(byPath), packedLimits.scriptBytes);
  if (manifest.name !== undefined && manifest.name !== list.name)
    invalid(`the pack in the bundle is called ${quote(manifest.name)}`);
  if (manifest.version !== undefined && manifest.version !== list.version) {
    invalid(`the pack in the bundle has version ${quote(manifest.version)}`);
  }
  const used = new Set([packManifestFile]);
  const programs = hooks.map((accepted): MappedProgram => {
    const path = scriptPath(accepted);
    used.add(path).add(accepted.folder === "" ? hookManifestFile : `${accepted.folder}/${hookManifestFile}`);
    const bytes = byPath.get(path) as Buffer;
    if (!isUtf8(bytes)) invalid(`the script ${quote(path)} is not UTF-8`, path);
    const source = bytes.toString("utf8");
    // It only says where in the sources a fault happened, and is read when one did.
    used.add(mapPathOf(path));
    const map = byPath.get(mapPathOf(path));
    const small = map !== undefined && map.length <= compileLimits.placeMapBytes;
    return {
      key: sha256(source),
      name: accepted.hook.name,
      source,
      map: small ? map.toString("utf8") : null,
    };
  });
  // Nothing rides along: a file that no hook uses has no business in a bundle.
  for (const path of byPath.keys())
    if (!used.has(path)) invalid(`the file ${quote(path)} belongs to no hook`);
  const pack = completePack(manifest, hooks, programs);
  if (pack.digest !== list.pack) invalid("the pack in the bundle has another digest than the list says");
  return pack;
}
