/** Longest quotation in a message, in UTF-16 code units. */
const maxLength = 80;

// Controls, format characters (bidi, zero width, tags), surrogates, private use, unassigned, and separators but the
// space: anything that could move the cursor, hide text or make two names look alike. The backtick would end the quotation.
const unsafe = /[\p{C}\p{Zl}\p{Zp}\u00a0`\\]|[\p{Zs}--[ ]]/gv;

/**
 * Untrusted text, quoted for an error message: between backticks, on one line, at most 80 characters of it,
 * with everything that is not plainly visible escaped as in JavaScript.
 */
export function quote(text: string): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  return `\`${cut.replace(unsafe, escape)}\``;
}

function escape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\\") return "\\\\";
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
