/** Longest path that is resolved, in UTF-16 code units. */
const longestPath = 4_096;

/** The home directory that a working directory lies in; `undefined` if that is not known. */
export function homeOf(directory: string): string | undefined {
  return /^(\/(?:home|Users)\/[^/]+|\/root)(?:\/|$)/.exec(directory)?.[1];
}

/** Whether a text starts with something that is not known. */
export function isFloating(path: string): boolean {
  // A pattern is a name in the working directory.
  return path.startsWith("\uFDD0") && path[1] !== "g";
}

/**
 * Brings a path into one form: absolute if that is known, otherwise starting with `.`, `..` or a mark; without `//`,
 * `.` and `..` in the middle. Links are not followed.
 */
export function resolvePath(text: string, directory: string): string {
  if (text.length > longestPath) return "\uFDD0a\uFDD1";
  const whole = text.startsWith("/") || isFloating(text) ? text : `${directory}/${text}`;
  const out: string[] = [];
  const absolute = whole.startsWith("/");
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") out.push(part);
    else if (out.length > 0 && out.at(-1) !== "..") {
      // What lies above an unknown place is unknown too.
      if (!isFloating(out[0] ?? "") || out.length > 1) out.pop();
    } else if (!absolute) out.push(part);
  }
  if (absolute) return `/${out.join("/")}`;
  return out[0] === ".." || isFloating(out[0] ?? "") ? out.join("/") : [".", ...out].join("/");
}
