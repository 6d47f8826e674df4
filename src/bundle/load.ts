import { randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { makeFolder } from "../files/index.ts";
import { packedLimits } from "./limits.ts";
import { type Floor, openBundle, type OpenedBundle } from "./open.ts";
import { readJsonFile, readWholeFile } from "./read-file.ts";
import { type CheckedTrust, checkTrust, type Trust } from "./trust.ts";

/** Largest trust file, in bytes. */
const trustBytes = 1_048_576;
/** Name of the file in which the bundle that served last is kept, signature and all. */
const keptFile = "last-good.tgz";

/** Where a bundle comes from, and what the host accepts. */
export interface BundleSource {
  /** Path of the .tgz, or its bytes. */
  readonly bundle: string | Uint8Array;
  /** The trust file: its path, or what stands in it. */
  readonly trust: string | Trust;
  /** Folder in which the last good bundle is kept. Default: none is kept. */
  readonly keep?: string;
}

/** A bundle that may serve. */
export interface LoadedBundle extends OpenedBundle {
  /** Whether it is the one that was offered, or the one that served last. */
  readonly from: "offered" | "kept";
  /** Why the one that was offered does not serve; `null` where it does. */
  readonly refused: HookwardenError | null;
  /** Keeps it as the last good one; to be called when it is sure to serve. */
  keep(): Promise<void>;
}

/**
 * Loads the bundle that is offered. Where it cannot serve, and nothing serves yet, the last good one is taken, which is
 * held to the trust file as it is now.
 *
 * @param serving what serves now: nothing older is accepted, and a refused bundle leaves it serving.
 * @throws {HookwardenError} `trust-invalid`; or why the bundle cannot serve, where there is no last good one to take.
 */
export async function loadBundle(source: BundleSource, serving: Floor | null = null): Promise<LoadedBundle> {
  const trust = await readTrust(source.trust);
  const kept = source.keep === undefined ? null : await openKept(source.keep, trust);
  const floors = [serving, kept && floorOf(kept)].filter((floor) => floor !== null);
  try {
    const packed =
      typeof source.bundle === "string"
        ? await readWholeFile(source.bundle, packedLimits.packedBytes, "the bundle")
        : source.bundle;
    const opened = await openBundle(packed, { trust, floors });
    const { keep: folder } = source;
    const keep = async (): Promise<void> => {
      // The same content by another key: the key of the one that is kept may be revoked some day.
      const same = kept?.digest === opened.digest && kept.key === opened.key;
      if (folder !== undefined && !same) await keepGood(folder, packed);
    };
    return { ...opened, from: "offered", refused: null, keep };
  } catch (error) {
    if (!(error instanceof HookwardenError) || serving || !kept) throw error;
    return { ...kept, from: "kept", refused: error, keep: async () => undefined };
  }
}

/** What the next bundle must not be older than. */
export function floorOf({ list, digest }: OpenedBundle): Floor {
  return { version: list.version, digest };
}

/** Reads a trust file. @throws {HookwardenError} `trust-invalid`, `file-unreadable` */
export async function readTrust(trust: string | Trust): Promise<CheckedTrust> {
  if (typeof trust !== "string") return checkTrust(trust);
  const limits = { maxBytes: trustBytes, maxDepth: 6, maxKeys: 50_000, maxKeyLength: 64 };
  const value = await readJsonFile(trust, "trust file", "trust-invalid", limits);
  try {
    return await checkTrust(value);
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    throw new HookwardenError(error.code, error.message, { file: trust, ...error.place });
  }
}

/** The bundle that served last, where it still may. One whose key was revoked since sets no floor either. */
async function openKept(folder: string, trust: CheckedTrust): Promise<OpenedBundle | null> {
  try {
    return await openBundle(
      await readWholeFile(join(folder, keptFile), packedLimits.packedBytes, "the kept bundle"),
      { trust },
    );
  } catch (error) {
    if (error instanceof HookwardenError) return null;
    throw error;
  }
}

/** Stores a bundle atomically: concurrent readers find the old one or the new one. */
async function keepGood(folder: string, packed: Uint8Array): Promise<void> {
  const temporary = join(folder, `${keptFile}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    makeFolder(folder);
    await writeAndSync(await open(temporary, "wx", 0o600), packed);
    await rename(temporary, join(folder, keptFile));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new HookwardenError(
      "file-unreadable",
      `the last good bundle cannot be kept in ${quote(folder)} (${code})`,
      { file: folder },
    );
  }
}

async function writeAndSync(file: FileHandle, bytes: Uint8Array): Promise<void> {
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
