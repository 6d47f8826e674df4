import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { pathProblem, withoutDot } from "./paths.ts";

/** The kind of entry at a path of a pack. `other` is a link, a device, a pipe or a socket, which are never opened. */
export type EntryKind = "file" | "folder" | "other";

/** A source of a pack's files. Paths are relative POSIX paths that `pathProblem` accepts; `""` is the root. */
export interface PackSource {
  /** Real path of the folder; absent where the files are in memory. */
  readonly root?: string;
  /**
   * Reads a whole regular file.
   *
   * @throws {HookwardenError} `path-outside-pack` for a link or a path that leaves the pack, `file-unreadable` for
   * what is missing, no regular file, or larger than `maxBytes`.
   */
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  /** The kind of entry at a path, without following links; `null` if there is none. */
  kind(path: string): Promise<EntryKind | null>;
}

/**
 * A pack whose files are in memory, by relative path.
 *
 * @throws {HookwardenError} `path-outside-pack` for a path that no pack can have.
 */
export function memorySource(files: ReadonlyMap<string, Uint8Array>): PackSource {
  const byPath = new Map<string, Uint8Array>();
  const folders = new Set<string>([""]);
  for (const [path, bytes] of files) {
    const problem = pathProblem(path);
    if (problem) throw new HookwardenError("path-outside-pack", `the path ${quote(path)} ${problem}`);
    const plain = withoutDot(path);
    if (byPath.has(plain)) throw new HookwardenError("pack-invalid", `the file ${quote(plain)} occurs twice`);
    byPath.set(plain, bytes);
    for (let end = plain.lastIndexOf("/"); end > 0; end = plain.lastIndexOf("/", end - 1)) {
      folders.add(plain.slice(0, end));
    }
  }
  return {
    async read(path, maxBytes) {
      const bytes = byPath.get(path);
      if (!bytes) throw missing(path);
      if (bytes.byteLength > maxBytes) throw tooLarge(path, maxBytes);
      return bytes;
    },
    async kind(path) {
      if (byPath.has(path)) return "file";
      return folders.has(path) ? "folder" : null;
    },
  };
}

export function missing(path: string): HookwardenError {
  const fix = "Create the file, or correct the path where it is named.";
  return new HookwardenError(
    "file-unreadable",
    `the file ${quote(path)} is missing`,
    { file: path },
    { fix },
  );
}

export function tooLarge(path: string, maxBytes: number): HookwardenError {
  const message = `the file ${quote(path)} is larger than ${maxBytes} bytes`;
  return new HookwardenError(
    "file-unreadable",
    message,
    { file: path },
    { fix: "Shorten or split the file." },
  );
}

export function notRegular(path: string, what: string): HookwardenError {
  return new HookwardenError("file-unreadable", `${quote(path)} is ${what}, not a regular file`, {
    file: path,
  });
}

export function isLink(path: string): HookwardenError {
  const message = `the path ${quote(path)} goes through a link`;
  return new HookwardenError("path-outside-pack", message, { file: path });
}
