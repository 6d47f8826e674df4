import { quote } from "@hookwarden/sandbox/json";
import { packedLimits } from "./limits.ts";
import { BundlePaths, invalid, listFile, signatureFile } from "./names.ts";

/** A file of a bundle. */
export interface BundleEntryFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/** Headers and contents fill whole blocks. */
const blockBytes = 512;

/**
 * The one archive (ustar, POSIX.1-1988) that these files make, in this order. Every field that is not needed is zero,
 * so the same files make the same bytes in every version.
 *
 * @param files with paths that `BundlePaths` accepts: they fit into a plain header.
 */
export function writeTar(files: readonly BundleEntryFile[]): Buffer {
  const blocks = files.flatMap(({ path, bytes }) => [
    writeHeader(path, bytes.length),
    bytes,
    Buffer.alloc(-bytes.length & (blockBytes - 1)),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

/**
 * Reads the files of an archive. Only the fields needed to find the files are read; then the files are written again
 * and compared byte for byte with the archive. Anything that two readers could read differently fails that comparison:
 * links, devices, folders, extended headers, owners, times, wrong checksums, and bytes after the end.
 *
 * @throws {HookwardenError} `bundle-invalid`
 */
export function readTar(archive: Buffer): readonly BundleEntryFile[] {
  const files: BundleEntryFile[] = [];
  const paths = new BundlePaths();
  let at = 0;
  while (at + blockBytes <= archive.length && archive[at] !== 0) {
    if (files.length >= packedLimits.entries)
      invalid(`the bundle has more than ${packedLimits.entries} files`);
    const { path, size } = readHeader(archive.subarray(at, at + blockBytes));
    paths.add(path);
    at += blockBytes;
    files.push({ path, bytes: archive.subarray(at, at + size) });
    at += Math.ceil(size / blockBytes) * blockBytes;
  }
  if (!writeTar(files).equals(archive))
    invalid("the archive in the bundle is not in the one form that its files make");
  return files;
}

function writeHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  // A name longer than its field is split at a slash, the rest as long as possible.
  const slash = path.length <= 100 ? -1 : path.indexOf("/", path.length - 101);
  header.write(path.slice(slash + 1), 0);
  header.write("000644 ", 100);
  header.write("000000 ", 108);
  header.write("000000 ", 116);
  header.write(`${octal(size, 11)} `, 124);
  header.write(`${octal(0, 11)} `, 136);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  header.write("000000 ", 329);
  header.write("000000 ", 337);
  if (slash > 0) header.write(path.slice(0, slash), 345);
  // The checksum counts its own field as eight spaces.
  const sum = header.reduce((total, byte) => total + byte, 8 * 0x20);
  header.write(`${octal(sum, 6)} `, 148);
  return header;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["1", "a hard link"],
  ["2", "a symbolic link"],
  ["3", "a device"],
  ["4", "a device"],
  ["5", "a folder"],
  ["6", "a pipe"],
  ["g", "an extended header"],
  ["x", "an extended header"],
]);

function readHeader(header: Buffer): { readonly path: string; readonly size: number } {
  const folder = readText(header, 345, 155);
  const name = readText(header, 0, 100);
  const path = folder === "" ? name : `${folder}/${name}`;
  const type = header.toString("latin1", 156, 157);
  if (type !== "0")
    invalid(`${quote(path)} is ${kinds.get(type) ?? "of an unknown kind"}, not a regular file`);
  const digits = header.toString("latin1", 124, 135);
  const size = /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : Number.POSITIVE_INFINITY;
  const maxBytes = maxBytesOf(path);
  if (size > maxBytes) invalid(`the file ${quote(path)} is larger than ${maxBytes} bytes`);
  return { path, size };
}

/** A text that ends at a zero, or where its field ends. */
function readText(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString("latin1", 0, end < 0 ? length : end);
}

function maxBytesOf(path: string): number {
  if (path === listFile) return packedLimits.listBytes;
  if (path === signatureFile) return packedLimits.signatureBytes;
  return path.endsWith(".json") ? packedLimits.manifestBytes : packedLimits.scriptBytes;
}
