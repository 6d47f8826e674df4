import { randomBytes } from "node:crypto";
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolder } from "../../files/index.ts";

/** Where compiled packs are, and the key that authenticates them, which is kept in another folder. */
export interface CacheFolders {
  readonly entries: string;
  readonly key: Buffer;
}

/** Length of the key, in bytes. */
const keyBytes = 32;

/**
 * Opens the cache of this user, and creates it if need be.
 *
 * @returns `null` where there is none: no home, a folder that others can enter or that belongs to another user, a disk
 * that cannot be written. Nothing depends on a cache, so none of this is an error.
 */
export function cacheFolders(env: NodeJS.ProcessEnv = process.env): CacheFolders | null {
  try {
    const entries = privateFolder(env["XDG_CACHE_HOME"], ".cache", "hookwarden-compiled");
    const state = privateFolder(env["XDG_STATE_HOME"], join(".local", "state"), "hookwarden");
    return { entries, key: keyIn(state) };
  } catch {
    return null;
  }
}

function privateFolder(base: string | undefined, below: string, name: string): string {
  const parent = base !== undefined && isAbsolute(base) ? base : join(homedir(), below);
  const folder = join(parent, name);
  makeFolder(parent);
  makeFolder(folder, 0o700);
  if (!isPrivate(folder, "folder")) throw new Error(`${folder} is not private`);
  return folder;
}

/** Whether only this user can use a file or folder; a link to one is not accepted. */
function isPrivate(path: string, kind: "file" | "folder"): boolean {
  const stats = lstatSync(path);
  const isKind = kind === "folder" ? stats.isDirectory() : stats.isFile();
  if (process.platform === "win32") return isKind;
  return isKind && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
}

function keyIn(folder: string): Buffer {
  const file = join(folder, "compile-cache.key");
  try {
    // `wx`: of two processes that start together, one writes the key and both read it.
    writeFileSync(file, randomBytes(keyBytes), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const key = readFileSync(file);
  if (!isPrivate(file, "file") || key.length !== keyBytes) throw new Error(`${file} is not a private key`);
  return key;
}
