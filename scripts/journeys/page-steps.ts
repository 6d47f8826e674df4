/** What a page asks its reader to do, in order: files to write, and commands with what they print. */
export type PageStep =
  | { readonly file: string; readonly text: string }
  /** `printed` is `null` where the page does not show it. */
  | { readonly command: string; readonly printed: string | null };

/**
 * Reads the steps of a page: blocks with `file=PATH` behind their language are files, each line of an `sh` block is a
 * command, and `console` blocks hold commands after `$ ` and what they print.
 */
export function stepsOf(page: string): readonly PageStep[] {
  return [...page.matchAll(/^( *)```(\w+)([^\n]*)\n(.*?)^\1```/gms)].flatMap(
    ([, indent = "", language = "", info = "", body = ""]): PageStep[] => {
      const text = body.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      const file = /\bfile=(\S+)/.exec(info)?.[1];
      if (file !== undefined) return [{ file, text }];
      if (language === "sh") {
        const lines = text.split("\n").map((line) => line.replace(/ +#.*/, ""));
        return lines.filter(Boolean).map((command) => ({ command, printed: null }));
      }
      if (language !== "console") return [];
      return text
        .split(/^\$ /m)
        .slice(1)
        .map((part) => {
          const end = part.indexOf("\n");
          return { command: part.slice(0, end), printed: part.slice(end + 1) };
        });
    },
  );
}

/** Output without what differs from run to run: times, sizes and digests. */
export function comparable(text: string): string {
  return text
    .replaceAll(/^npm (?:warn|notice).*\n/gm, "")
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "hh:mm:ss")
    .replaceAll(/sha256:(?:[0-9a-f]{64}|…)/g, "sha256:…")
    .replaceAll(/\b\d+ bytes\b/g, "N bytes")
    .replaceAll(/\b\d+\.\d s$/gm, "N s")
    .replaceAll(/\bmedian [\d.]+ ms\b/g, "median N ms")
    .replaceAll(/((?:continue|deny) +)[\d.]+$/gm, "$1N")
    .replaceAll(/^(\S+ +\d+ +)\d+$/gm, "$1N")
    .replaceAll(/ {2,}/g, "  ")
    .trim();
}
