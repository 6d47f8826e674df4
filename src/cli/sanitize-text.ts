import { sanitizeText } from "../text/index.ts";

/** What a terminal acts on, hides or breaks lines at. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const plain = /^[\x20-\x7e]*$/;

/** A line of our own with text from outside in it: everything that is not plainly visible is escaped. */
export function visible(line: string): string {
  if (plain.test(line)) return line;
  return line.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Text from outside, on one line and without anything that a terminal acts on. */
export function inline(text: string): string {
  return sanitizeText(text).replace(/\s+/g, " ").trim();
}

/** As `inline`, at most `most` characters long; `…` stands for what is cut. */
export function excerpt(text: string, most: number): string {
  // Only the start is looked at: such a text may be megabytes long.
  const start = inline(text.slice(0, most * 4));
  const characters = [...start];
  if (characters.length <= most && text.length <= most * 4) return start;
  return `${characters
    .slice(0, most - 1)
    .join("")
    .trimEnd()}…`;
}

/**
 * A value as JSON on one line, with every character that a terminal acts on or hides as a `\u` escape. Nothing is
 * lost: the text reads back to the same value.
 */
export function safeJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  if (plain.test(text)) return text;
  return text.replace(unsafe, (character) =>
    character === "\n" && indent !== undefined ? character : escapeUnits(character),
  );
}

function escapeUnits(character: string): string {
  let escaped = "";
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }
  return escaped;
}
