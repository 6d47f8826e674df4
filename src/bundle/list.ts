import { createHash } from "node:crypto";
import semver from "semver";
import { JsonError, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { packedLimits } from "./limits.ts";
import { byPath, invalid, listFile, signatureFile } from "./names.ts";
import type { BundleEntryFile } from "./tar.ts";

/** What a bundle is, and every file of it: `bundle.json`. */
export interface BundleList {
  readonly format: 1;
  readonly name: string;
  /** Semantic version. */
  readonly version: string;
  /** Where it is meant to run. A host accepts bundles for its own target only. */
  readonly target: string;
  /** Digest of the pack that it loads as. */
  readonly pack: string;
  /** All files but this one and its signature, by the bytes of their paths. */
  readonly files: readonly ListedFile[];
}

export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Names of bundles and targets: what can stand in a file name anywhere. */
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const digest = /^sha256:[0-9a-f]{64}$/;

export function isPlainName(name: unknown): name is string {
  return typeof name === "string" && plainName.test(name);
}

/** A version in its one spelling: no `v`, no spaces. */
export function isVersion(version: unknown): version is string {
  return (
    typeof version === "string" &&
    version.length <= 256 &&
    semver.valid(version) !== null &&
    semver.parse(version)?.raw === version &&
    /^\d/.test(version)
  );
}

export function listOf(files: readonly BundleEntryFile[]): readonly ListedFile[] {
  return files
    .map(({ path, bytes }) => ({
      path,
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    }))
    .sort(byPath);
}

/** The bytes of `bundle.json`: one form for each list. */
export function writeList({ format, name, version, target, pack, files }: BundleList): Buffer {
  const plain = files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 }));
  return Buffer.from(`${JSON.stringify({ format, name, version, target, pack, files: plain }, null, 2)}\n`);
}

/**
 * Reads `bundle.json`, and holds the files of the bundle to it: every file listed, every listed file there, each with
 * its size and digest, in order.
 *
 * @param entries of the archive, in its order.
 * @throws {HookwardenError} `bundle-invalid`
 */
export function readList(entries: readonly BundleEntryFile[]): {
  readonly list: BundleList;
  readonly files: readonly BundleEntryFile[];
} {
  const [first] = entries;
  if (first?.path !== listFile) invalid(`the bundle does not begin with \`${listFile}\``);
  const list = parse(first.bytes);
  // One list, one spelling: no list can be signed in one reading and opened in another.
  if (!writeList(list).equals(first.bytes))
    invalid(`\`${listFile}\` is not in the one form that its content has`, listFile);
  const files = entries.slice(entries[1]?.path === signatureFile ? 2 : 1);
  const expected = new Map(list.files.map((file) => [file.path, file]));
  for (const { path } of files)
    if (!expected.has(path)) invalid(`the file ${quote(path)} is not in the list`);
  const found = listOf(files);
  for (const [index, file] of list.files.entries()) {
    const other = files[index];
    if (other?.path !== file.path) {
      const there = files.some(({ path }) => path === file.path);
      invalid(
        there
          ? `the file ${quote(file.path)} is not at its place in the list`
          : `the file ${quote(file.path)} is missing`,
      );
    }
    const { bytes, sha256 } = found[index] as ListedFile;
    if (bytes !== file.bytes || sha256 !== file.sha256)
      invalid(`the file ${quote(file.path)} is not the one that was listed`);
  }
  return { list, files };
}

function parse(bytes: Buffer): BundleList {
  let value: unknown;
  try {
    value = readJsonBytes(bytes, {
      maxBytes: packedLimits.listBytes,
      maxDepth: 4,
      maxKeys: 3 * packedLimits.entries + 16,
      maxKeyLength: 16,
    });
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    invalid(`the list ${error.message}`, listFile);
  }
  const list = value as BundleList;
  const whole =
    typeof value === "object" &&
    value !== null &&
    list.format === 1 &&
    isPlainName(list.name) &&
    isVersion(list.version) &&
    isPlainName(list.target) &&
    typeof list.pack === "string" &&
    digest.test(list.pack) &&
    Array.isArray(list.files) &&
    list.files.every(isListedFile) &&
    list.files.every((file, index) => index === 0 || byPath(list.files[index - 1] as ListedFile, file) < 0);
  if (!whole) invalid(`\`${listFile}\` does not have its form`, listFile);
  return list;
}

function isListedFile(file: unknown): boolean {
  if (typeof file !== "object" || file === null) return false;
  const { path, bytes, sha256 } = file as Partial<ListedFile>;
  return (
    typeof path === "string" &&
    Number.isSafeInteger(bytes) &&
    typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256)
  );
}
