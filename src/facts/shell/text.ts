import type { ShellWord, ShellWordPart } from "./row.ts";

/**
 * Texts of the interpreter: strings in which noncharacters of Unicode mark what is not plain text. `clean` takes such
 * characters out of everything that comes from outside.
 *
 * A mark is OPEN, a letter for its kind, a name or pattern, CLOSE. In upper case, the kind is that of an expansion
 * without quotes, which may become any number of words.
 */
const OPEN = "\uFDD0";
const CLOSE = "\uFDD1";
/** Separates the elements of a list such as `"$@"`. */
export const LIST = "\uFDD2";
/** The list without elements. */
export const EMPTY_LIST = "\uFDD3";

const kinds = { v: "variable", o: "output", e: "external", u: "user", a: "other" } as const;

/** What only the running shell knows, as a mark. `many`: any number of words. */
export function unknown(kind: keyof typeof kinds, name = "", many = false): string {
  return OPEN + (many ? kind.toUpperCase() : kind) + name.replace(/[\s/\uFDD0-\uFDDF]/g, "?") + CLOSE;
}

/** A pattern that the shell replaces by names of files, as a mark. */
export function globMark(pattern: string): string {
  return `${OPEN}g${pattern}${CLOSE}`;
}

/** Something that is not known, and has no name. */
export const UNKNOWN = unknown("a");

/** Text from outside, without marks. */
export function clean(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/[\uFDD0-\uFDDF\0]/g, "\uFFFD");
}

const mark = /\uFDD0([a-zA-Z])([^\uFDD1]*)\uFDD1/g;

/** Whether a part of the text is not known; patterns count as not known. */
export function isUnknown(text: string): boolean {
  return text.includes(OPEN);
}

/** Whether the text may be more than one word, or none. */
export function isMany(text: string): boolean {
  return /\uFDD0[A-Zg]/.test(text);
}

/** The text with its unknown parts as those of an expansion without quotes. */
export function asMany(text: string): string {
  return text.replace(mark, (whole, kind: string, rest: string) =>
    kind === "g" ? whole : OPEN + kind.toUpperCase() + rest + CLOSE,
  );
}

/** The text with its patterns as plain text. */
export function withoutGlobs(text: string): string {
  return text.replace(mark, (whole, kind: string, rest: string) => (kind === "g" ? rest : whole));
}

/** A text as hooks see it. */
export function toWord(text: string): ShellWord {
  if (!isUnknown(text)) return text.replaceAll(LIST, " ");
  const parts: ShellWordPart[] = [];
  let end = 0;
  for (const match of text.matchAll(mark)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    const [whole, letter = "", rest = ""] = match;
    const kind = letter.toLowerCase();
    if (kind === "g") parts.push({ glob: rest });
    else {
      parts.push({
        unknown: kinds[kind as keyof typeof kinds],
        ...(rest === "" ? {} : { name: rest }),
        ...(letter === kind ? {} : { many: true }),
      });
    }
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

const letters = new Map(
  Object.entries(kinds).map(([letter, kind]) => [kind as string, letter as keyof typeof kinds]),
);

/** The inverse of `toWord`. */
export function fromWord(word: ShellWord): string {
  if (typeof word === "string") return word;
  return word
    .map((part) => {
      if (typeof part === "string") return part;
      if ("glob" in part) return globMark(part.glob);
      return unknown(letters.get(part.unknown) ?? "a", part.name, part.many);
    })
    .join("");
}

/** How many substitutions and expansions a command line opens. */
export function openingsIn(text: string): number {
  return text.match(/[$<>]\(|\$\{|`/g)?.length ?? 0;
}
