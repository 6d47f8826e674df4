import type { GuestText } from "./report.ts";

/** What a terminal or a page acts on, hides or breaks lines at; newline and tab stay. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A stranger's text as a report carries it: everything that would not be plainly visible is written as `\u{…}`. */
export function guestText(text: string, maxLength = 400): GuestText {
  const part = text.length > maxLength ? text.slice(0, maxLength) : text;
  return { text: escaped(part), cutFrom: text.length > maxLength ? text.length : null };
}

/** A value as JSON, shown. */
export function guestJson(value: unknown, maxLength = 600): GuestText {
  return guestText(value === undefined ? "(nothing)" : JSON.stringify(value), maxLength);
}

function escaped(text: string): string {
  return text.replace(unsafe, (character) =>
    character === "\n" || character === "\t"
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
