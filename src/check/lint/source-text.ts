import type { LintCode } from "./table.ts";

/** A place in the text of a source that breaks a rule. */
export interface TextReport {
  readonly code: LintCode;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  readonly message: string;
}

/** Longest line that people write, in UTF-16 code units. */
const longLine = 2_000;

// Controls that turn the direction of text, characters without width, tags and variation selectors in a row, and
// controls of terminals. A byte order mark may stand at the start; emoji need single joiners and selectors.
const hidden =
  /[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c\u200b\u2060-\u2064\u00ad\u180e\ufff9-\ufffb\u{e0000}-\u{e0fff}]|(?!^)\ufeff|[\ufe00-\ufe0f]{2,}|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/gu;

/** Looks at a source as text: what a person would see of it. */
export function* lintText(source: string): Generator<TextReport> {
  let line = 0;
  let long = false;
  for (const text of source.split(/\r?\n/)) {
    line++;
    const [match] = text.matchAll(hidden);
    if (match) {
      const code = match[0].codePointAt(0)?.toString(16).padStart(4, "0");
      const message = `the character U+${code?.toUpperCase()} cannot be seen where the source is read`;
      yield { code: "hidden-character", line, column: match.index + 1, message };
    }
    if (text.length > longLine && !long) {
      long = true;
      yield { code: "opaque-source", line, column: 1, message: `a line of ${text.length} characters` };
    }
  }
}
