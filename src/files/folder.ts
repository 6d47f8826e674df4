import { constants, existsSync, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { didYouMean, fileError, HookwardenError, systemReason } from "../errors/index.ts";
import { pathProblem } from "./paths.ts";
import { type EntryKind, isLink, missing, notRegular, type PackSource, tooLarge } from "./source.ts";

/** Never follow a link at the end, never wait for the other end of a pipe, never become a terminal's owner. */
const noFollowFile =
  constants.O_RDONLY |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0) |
  (constants.O_NOCTTY ?? 0) |
  // macOS: O_NOFOLLOW_ANY, which refuses a link in any part of the path. Node has no name for it.
  (process.platform === "darwin" ? 0x2000_0000 : 0);
const noFollowFolder = noFollowFile | (constants.O_DIRECTORY ?? 0);

/**
 * The files of a folder on disk. No link below the folder is followed, even if the tree changes while it is read: on Linux
 * every part is opened relative to the opened part before it, and macOS is asked to refuse links in all parts. Windows
 * has neither: there every part is checked before and the opened file after, which leaves a race for an attacker who
 * can write to the pack at that moment.
 *
 * @throws {HookwardenError} `pack-not-found` if the folder does not exist.
 */
export async function folderSource(folder: string): Promise<PackSource & { readonly root: string }> {
  const root = await realFolder(folder);
  return {
    root,
    read: (path, maxBytes) => readFile(root, path, maxBytes),
    kind: (path) => kindOf(root, path),
  };
}

async function realFolder(folder: string): Promise<string> {
  try {
    const root = await realpath(folder);
    if ((await lstat(root)).isDirectory()) return root;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
      const { reason, fix = "" } = systemReason(error);
      throw new HookwardenError(
        "pack-not-found",
        `the folder ${quote(folder)} cannot be opened: ${reason}`,
        {},
        { fix },
      );
    }
    const beside = await readdir(dirname(folder)).catch(() => []);
    throw new HookwardenError(
      "pack-not-found",
      `there is no folder ${quote(folder)}${didYouMean(basename(folder), beside)}`,
    );
  }
  const fix = `Pass the folder that it is in: ${quote(dirname(folder))}.`;
  throw new HookwardenError("pack-not-found", `${quote(folder)} is a file, not a folder`, {}, { fix });
}

async function readFile(root: string, path: string, maxBytes: number): Promise<Uint8Array> {
  checkPath(path);
  const file = await openFile(root, path);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw notRegular(path, describeType(stats));
    if (stats.size > maxBytes) throw tooLarge(path, maxBytes);
    return await readAll(file, path, stats.size, maxBytes);
  } finally {
    await file.close();
  }
}

/** Reads to the end, even if the file grows meanwhile or reports no size (as in /proc). */
async function readAll(file: FileHandle, path: string, size: number, maxBytes: number): Promise<Uint8Array> {
  let buffer = Buffer.allocUnsafe(size + 1);
  let filled = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
    if (bytesRead === 0) return buffer.subarray(0, filled);
    filled += bytesRead;
    if (filled > maxBytes) throw tooLarge(path, maxBytes);
    if (filled === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(buffer.length)]);
  }
}

function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem) throw new HookwardenError("path-outside-pack", `the path ${quote(path)} ${problem}`);
}

/** A contained child has no /proc: only what it may read is mounted. */
const hasDescriptorPaths = process.platform === "linux" && existsSync("/proc/self/fd");

async function openFile(root: string, path: string): Promise<FileHandle> {
  return hasDescriptorPaths ? openByParts(root, path) : openAndCompare(root, path);
}

/**
 * Opens a file part by part, each relative to the opened folder before it (what `openat` does; Node has no name for
 * that, but Linux resolves a path below `/proc/self/fd/N` from the opened folder itself).
 */
async function openByParts(root: string, path: string): Promise<FileHandle> {
  const parts = path.split("/");
  const last = parts.pop() ?? "";
  let folder = await open(root, noFollowFolder).catch(() => Promise.reject(missing(path)));
  try {
    for (const part of parts) {
      const next = await openPart(`/proc/self/fd/${folder.fd}/${part}`, noFollowFolder, path);
      await folder.close();
      folder = next;
    }
    return await openPart(`/proc/self/fd/${folder.fd}/${last}`, noFollowFile, path);
  } finally {
    await folder.close();
  }
}

async function openPart(place: string, flags: number, path: string): Promise<FileHandle> {
  // Checked before opening, because opening a device can have side effects; checked again on the open file.
  const stats = await statOrNull(place);
  if (!stats) throw missing(path);
  if (stats.isSymbolicLink()) throw isLink(path);
  const wantsFolder = flags === noFollowFolder;
  if (wantsFolder ? !stats.isDirectory() : !stats.isFile()) throw notRegular(path, describeType(stats));
  try {
    return await open(place, flags);
  } catch (error) {
    throw openError(error, path);
  }
}

async function openAndCompare(root: string, path: string): Promise<FileHandle> {
  const parts = path.split("/");
  for (let count = 1; count <= parts.length; count++) {
    const stats = await statOrNull(join(root, ...parts.slice(0, count)));
    if (!stats) throw missing(path);
    if (stats.isSymbolicLink()) throw isLink(path);
    if (count === parts.length ? !stats.isFile() : !stats.isDirectory())
      throw notRegular(path, describeType(stats));
  }
  const full = join(root, ...parts);
  const file = await open(full, noFollowFile).catch((error: unknown) =>
    Promise.reject(openError(error, path)),
  );
  try {
    const opened = await file.stat({ bigint: true });
    const current = await lstat(full, { bigint: true });
    const same = opened.dev === current.dev && opened.ino === current.ino;
    if (!same || (await realpath(full)) !== full) throw isLink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error instanceof HookwardenError ? error : missing(path);
  }
}

function openError(error: unknown, path: string): HookwardenError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ELOOP" || code === "EMLINK") return isLink(path);
  return code === "ENOENT" || code === "ENOTDIR" ? missing(path) : fileError(path, error);
}

async function kindOf(root: string, path: string): Promise<EntryKind | null> {
  if (path === "") return "folder";
  if (pathProblem(path)) return null;
  const parts = path.split("/");
  let kind: EntryKind | null = "folder";
  for (let count = 1; count <= parts.length; count++) {
    if (kind !== "folder") return kind === "other" ? "other" : null;
    const stats = await statOrNull(join(root, ...parts.slice(0, count)));
    if (!stats) return null;
    kind = stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
  }
  return kind;
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch {
    return null;
  }
}

function describeType(stats: Stats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "a device";
  return stats.isFile() ? "a file" : "something else";
}
