import { entityTable } from "./tables/entities.ts";
import { lookalikeTable } from "./tables/lookalikes.ts";

/** Letters that look like an ASCII letter. */
export const lookalikes: ReadonlyMap<string, string> = new Map(
  lookalikeTable.split(" ").flatMap((line) => {
    const [letter = "", ...chars] = line;
    return chars.map((char): [string, string] => [char, letter]);
  }),
);

let named: ReadonlyMap<string, string> | undefined;

/** What a named character reference of HTML means; the table is read when a text first has one. */
export function entityNamed(name: string): string | undefined {
  named ??= new Map(
    entityTable.split(" ").map((entry): [string, string] => {
      const [key = "", codes = ""] = entry.split("=");
      return [key, String.fromCodePoint(...codes.split("+").map((code) => Number.parseInt(code, 16)))];
    }),
  );
  return named.get(name);
}

/** Controls, format characters and characters without a glyph; not newline, tab and the visible ones of Arabic. */
const invisible =
  /^[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]$/v;

export function isInvisible(char: string): boolean {
  return invisible.test(char);
}

const typography: ReadonlyMap<string, string> = new Map(
  ["'‘’‚‛′ʼ", '"“”„‟″', "-‐‑‒–—―−"].flatMap(([plain = "", ...chars]) =>
    chars.map((char): [string, string] => [char, plain]),
  ),
);

/** Symbols with a capital letter in them: the first of 26. */
const capitals = [0x1f150, 0x1f170, 0x1f1e6];

/** What is written instead of a character, whatever is around it. */
export function plainOf(char: string): string {
  if (isInvisible(char)) return "";
  const code = char.codePointAt(0) ?? 0;
  const first = capitals.find((start) => code >= start && code < start + 26);
  if (first !== undefined) return String.fromCharCode(65 + code - first);
  // Scripts beyond the basic plane that have such letters are not in use.
  const letter = code > 0xffff ? lookalikes.get(char) : undefined;
  const plain = typography.get(char) ?? letter ?? char.normalize("NFKC");
  return plain.length > 1 ? [...plain].filter((one) => !isInvisible(one)).join("") : plain;
}

/** Characters that may change the one before them in form NFKC, and marks that any script uses. */
export const combining =
  /^[[\p{Script=Inherited}&&\p{M}]\u0653-\u0655\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u102e\u1161-\u1175\u11a8-\u11c2\u1b35\u{110ba}\u{11127}\u{1133e}\u{11357}\u{114b0}\u{114ba}\u{114bd}\u{115af}\u{11930}]$/v;
