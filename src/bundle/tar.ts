import { extract, type Header, pack } from "tar-stream";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { packedLimits } from "./limits.ts";
import { BundlePaths, invalid, listFile, signatureFile } from "./names.ts";

/** A file of a bundle. */
export interface BundleEntryFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The one archive that these files make, in this order. */
export async function writeTar(files: readonly BundleEntryFile[]): Promise<Buffer> {
  const archive = pack();
  for (const { path, bytes } of files) {
    archive.entry(
      { name: path, size: bytes.length, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0, type: "file" },
      bytes,
    );
  }
  archive.finalize();
  const parts: Buffer[] = [];
  for await (const part of archive as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * Reads the files of an archive. Whatever could be read in more than one way is refused: the archive must be, byte for
 * byte, the one that its files make. So there are no links, devices or folders, no extended headers, owners or times,
 * no second file of a name, and nothing behind the end.
 *
 * @throws {HookwardenError} `bundle-invalid`
 */
export async function readTar(archive: Buffer): Promise<readonly BundleEntryFile[]> {
  const files: BundleEntryFile[] = [];
  const paths = new BundlePaths();
  const entries = extract();
  entries.end(archive);
  try {
    for await (const entry of entries) {
      if (files.length >= packedLimits.entries)
        invalid(`the bundle has more than ${packedLimits.entries} files`);
      const path = checkHeader(entry.header);
      paths.add(path);
      const parts: Buffer[] = [];
      for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
      files.push({ path, bytes: Buffer.concat(parts) });
    }
  } catch (error) {
    if (error instanceof HookwardenError) throw error;
    invalid("the archive in the bundle is damaged or cut off");
  }
  if (!(await writeTar(files)).equals(archive)) {
    invalid("the archive in the bundle is not in the one form that its files make");
  }
  return files;
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["link", "a hard link"],
  ["symlink", "a symbolic link"],
  ["character-device", "a device"],
  ["block-device", "a device"],
  ["directory", "a folder"],
  ["fifo", "a pipe"],
]);

function checkHeader({ name, type, size, linkname, pax }: Header & { pax?: unknown }): string {
  if (type !== "file")
    invalid(`${quote(name)} is ${kinds.get(String(type)) ?? "of an unknown kind"}, not a regular file`);
  if (linkname) invalid(`${quote(name)} is a link`);
  if (pax) invalid(`${quote(name)} has an extended header`);
  const most = mostBytes(name);
  if (!Number.isSafeInteger(size) || (size as number) < 0 || (size as number) > most) {
    invalid(`the file ${quote(name)} is larger than ${most} bytes`);
  }
  return name;
}

function mostBytes(path: string): number {
  if (path === listFile) return packedLimits.listBytes;
  if (path === signatureFile) return packedLimits.signatureBytes;
  return path.endsWith(".json") ? packedLimits.manifestBytes : packedLimits.scriptBytes;
}
