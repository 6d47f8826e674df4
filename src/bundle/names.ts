import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import { pathProblem } from "../files/index.ts";
import { packedLimits } from "./limits.ts";

/** The list of a bundle's files, which the signature covers. First in the archive. */
export const listFile = "bundle.json";
/** The signature over the list. Second in the archive. */
export const signatureFile = "bundle.jws";

/** Where the source map of a script lies: next to it. */
export function mapPathOf(script: string): string {
  return `${script}.map`;
}

/** @throws {HookwardenError} `bundle-invalid` */
export function invalid(message: string, file?: string): never {
  throw new HookwardenError("bundle-invalid", message, file === undefined ? {} : { file });
}

/**
 * What is wrong with the path of a file in a bundle, or `null`. Narrower than what a pack on disk may have: plain
 * ASCII, so that no two ways to write a name exist, and short enough for the plain header of the archive.
 */
export function bundlePathProblem(path: string): string | null {
  const problem = pathProblem(path);
  if (problem) return problem;
  if (path.startsWith("./")) return "has `.` as a part";
  if (!/^[\x21-\x7e]+$/.test(path)) return "has characters beside visible ASCII";
  if (path.length > packedLimits.pathLength || !fitsHeader(path)) return "is too long";
  if (path.split("/").length > packedLimits.pathParts) return `has more than ${packedLimits.pathParts} parts`;
  return null;
}

/** Whether the header of an archive has room for a path: 155 characters of folders, and 100 for the rest. */
function fitsHeader(path: string): boolean {
  if (path.length <= 100) return true;
  const slash = path.indexOf("/", path.length - 101);
  return slash >= 0 && slash <= 155;
}

/**
 * Holds paths to what a bundle may have: each one legal, no two that some file system takes for the same, none that is
 * a file and a folder.
 *
 * @throws {HookwardenError} `bundle-invalid`
 */
export class BundlePaths {
  readonly #taken = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  add(path: string): void {
    const problem = bundlePathProblem(path);
    if (problem) invalid(`the path ${quote(path)} ${problem}`);
    const folded = path.toLowerCase();
    const other = this.#taken.get(folded) ?? this.#folders.get(folded);
    if (other !== undefined)
      invalid(`the paths ${quote(other)} and ${quote(path)} are one on some file systems`);
    for (let end = folded.indexOf("/"); end >= 0; end = folded.indexOf("/", end + 1)) {
      const folder = folded.slice(0, end);
      const file = this.#taken.get(folder);
      if (file !== undefined) invalid(`${quote(file)} is a file, and a folder of ${quote(path)}`);
      const spelt = this.#folders.get(folder);
      if (spelt !== undefined && spelt.slice(0, end) !== path.slice(0, end)) {
        invalid(`the paths ${quote(spelt)} and ${quote(path)} are in one folder on some file systems`);
      }
      this.#folders.set(folder, path);
    }
    this.#taken.set(folded, path);
  }
}

/** Order of the files in a bundle: by the bytes of their paths. */
export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
