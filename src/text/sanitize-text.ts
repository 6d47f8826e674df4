/** Most combining marks on one character. Living scripts need four at most; floods of them bury a whole screen. */
const maxMarks = 8;

/** Printable ASCII with newline and tab needs no further look: nearly every text takes this way out. */
const plain = /^[\t\n\x20-\x7e]*$/;

/** Breaks lines in some sinks and not in others; one line break is enough. */
const lineBreaks = /\r\n|[\u2028\u2029]/g;

/**
 * Controls, format characters (bidi, tags, zero width), and what a font draws as nothing. Kept: newline, tab, the
 * visible format characters of Arabic, Syriac and Kaithi, and the joiners and variation selectors, which have rules of
 * their own below.
 */
const invisible =
  /[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u200c\u200d\ufe0e\ufe0f\u{110bd}\u{110cd}]]/gv;

/** A joiner is text between two letters of a script that joins, or two pictures; between others it only hides bits. */
const idleJoiner =
  /(?<![[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]--[\p{Script=Latin}\p{Script=Han}\u{0}-\u{7f}]])[\u200c\u200d]|[\u200c\u200d](?![[\p{L}\p{Extended_Pictographic}]--[\p{Script=Latin}\p{Script=Han}\u{0}-\u{7f}]])/gv;

/** A variation selector chooses how a symbol is drawn; behind anything else it only hides bits. */
const idleSelector = /(?<![\p{Extended_Pictographic}\p{Emoji}])[\ufe0e\ufe0f]/gu;

const markFlood = new RegExp(`(\\p{M}{${maxMarks}})\\p{M}+`, "gu");

/** White space, and the letters and symbols that fonts draw as white space. */
const blank = /^[\s\p{M}\p{C}\u00a0\u115f\u1160\u2800\u3164\uffa0]*$/u;

/** What a person reads where a hook's reason shows nothing. */
export const noReadableReason = "(no readable reason)";
/** What a person reads where another text of a hook shows nothing. */
export const noReadableText = "(no readable text)";

/**
 * A third party's text, safe to show: without control characters (but newline and tab), bidi controls, tag characters
 * and other invisible code points; lone surrogates become U+FFFD; at most eight combining marks stand on a character.
 * What is left reads as the author wrote it; nothing is cut and nothing is normalised.
 */
export function sanitizeText(text: string): string {
  if (plain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(lineBreaks, "\n")
    .replace(invisible, "")
    .replace(idleSelector, "")
    .replace(idleJoiner, "")
    .replace(markFlood, "$1");
}

/** `sanitizeText`, with a sentence of the host in place of a text in which nothing can be seen. */
export function sanitizeVisibleText(text: string, fallback: string): string {
  const safe = sanitizeText(text);
  return blank.test(safe) ? fallback : safe;
}
