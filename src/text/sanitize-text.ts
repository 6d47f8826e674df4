/** Maximum combining marks on one character. Living scripts need at most four; floods of them cover a whole screen. */
const maxMarks = 8;

/** Fast path: nearly every text is printable ASCII with newline and tab. */
const plain = /^[\t\n\x20-\x7e]*$/;

/** Breaks lines in some sinks and not in others; one line break is enough. */
const lineBreaks = /\r\n|[\u2028\u2029]/g;

/**
 * Controls, format characters (bidi, tags, zero width), and characters without a glyph. Kept: newline, tab, the
 * visible format characters of Arabic, Syriac and Kaithi, and the joiners and variation selectors, which have rules of
 * their own below.
 */
const invisible =
  /[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u200c\u200d\ufe0e\ufe0f\u{110bd}\u{110cd}]]/gv;

/** Joiners are meaningful between letters of a joining script or two pictographs; elsewhere they only hide bits. */
const idleJoiner =
  /(?<![[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]--[\p{Script=Latin}\p{Script=Han}\u{0}-\u{7f}]])[\u200c\u200d]|[\u200c\u200d](?![[\p{L}\p{Extended_Pictographic}]--[\p{Script=Latin}\p{Script=Han}\u{0}-\u{7f}]])/gv;

/** A variation selector is meaningful after a symbol; elsewhere it only hides bits. */
const idleSelector = /(?<![\p{Extended_Pictographic}\p{Emoji}])[\ufe0e\ufe0f]/gu;

const markFlood = new RegExp(`(\\p{M}{${maxMarks}})\\p{M}+`, "gu");

/** White space, and letters and symbols that render as white space. */
const blank = /^[\s\p{M}\p{C}\u00a0\u115f\u1160\u2800\u3164\uffa0]*$/u;

/** Replaces a hook's reason without visible characters. */
export const noReadableReason = "(no readable reason)";
/** Replaces another hook text without visible characters. */
export const noReadableText = "(no readable text)";

/**
 * A third party's text, safe to show: without control characters (but newline and tab), bidi controls, tag characters
 * and other invisible code points; lone surrogates become U+FFFD; at most eight combining marks remain on a character.
 * The rest is unchanged: not truncated, not normalised.
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

/** `sanitizeText`, with a fallback for a text without visible characters. */
export function sanitizeVisibleText(text: string, fallback: string): string {
  const safe = sanitizeText(text);
  return blank.test(safe) ? fallback : safe;
}
