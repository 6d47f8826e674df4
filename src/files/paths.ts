import { HookwardenError } from "../errors/index.ts";
import { quote } from "@hookwarden/sandbox/json";

const maxPathLength = 512;
const maxPartLength = 255;

/**
 * What is wrong with a path that a manifest names, or `null`. Allowed is a relative POSIX path of plain names, with an
 * optional leading `./`; it means the same on every system, and cannot leave its folder by its text alone.
 */
export function pathProblem(path: string): string | null {
  if (path === "" || path === "-") return "is empty";
  if (path.length > maxPathLength) return `is longer than ${maxPathLength} characters`;
  if (!path.isWellFormed() || /[\p{Cc}\ufffd]/u.test(path))
    return "has a control character or a lone surrogate";
  if (path.startsWith("/")) return "is absolute";
  if (path.includes("\\")) return "has a backslash; paths are written with `/` on every system";
  // Drive letters, URL schemes, `node:` and NTFS streams all need a colon.
  if (path.includes(":")) return "has a colon";
  if (/[?#*"<>|]/.test(path)) return "has a character that file names cannot have everywhere";
  for (const part of withoutDot(path).split("/")) {
    if (part === "") return "has an empty part";
    if (part === "." || part === "..") return "has `.` or `..` as a part";
    if (/[. ]$/.test(part)) return "has a part that ends in a dot or a space";
    if (part.length > maxPartLength) return `has a part that is longer than ${maxPartLength} characters`;
  }
  return null;
}

/** A path without its leading `./`. */
export function withoutDot(path: string): string {
  return path.startsWith("./") ? path.slice(2) : path;
}

/**
 * The path that `path` means beside a manifest in `folder`, from the root of the pack.
 *
 * @throws {HookwardenError} `path-outside-pack` where the path could mean a place outside of the pack.
 */
export function pathInPack(folder: string, path: string, place: { file: string; pointer: string }): string {
  const problem = pathProblem(path);
  if (problem) throw new HookwardenError("path-outside-pack", `the path ${quote(path)} ${problem}`, place);
  return folder === "" ? withoutDot(path) : `${folder}/${withoutDot(path)}`;
}
