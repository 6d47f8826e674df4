/**
 * Characters that stand for what cannot be read from the text of a command. They are control characters, and `clean`
 * takes such characters out of every text that comes from outside.
 */

/** Something that only the running shell knows. */
export const UNKNOWN = "\u0001";
/** Something that was downloaded or decoded on the way. */
export const TAINTED = "\u0002";
/** The name of a person, in the path of a home directory. */
export const SOMEONE = "\u0003";

/** Stands between the elements of a list, such as `"$@"`. */
export const LIST = "\u0004";

/** The home directory where its path is not known. */
export const SOME_HOME = `/home/${SOMEONE}`;

const control = /[\0-\x08\x0b-\x1f\x7f]/;
const controls = new RegExp(control, "g");

/** Takes control characters (tab and newline excepted) out of a text from outside. A backslash newline stays. */
export function clean(text: string): string {
  // Most texts have none, and are looked through once.
  return control.test(text) ? text.replace(/\r\n/g, "\n").replace(controls, "\ufffd") : text;
}

/** Whether a part of the text cannot be known. */
export function isUnknown(text: string): boolean {
  return text.includes(UNKNOWN) || text.includes(TAINTED);
}

/** For people: marks as words. */
export function readable(text: string): string {
  return text
    .replaceAll(SOME_HOME, "~")
    .replaceAll(SOMEONE, "?")
    .replaceAll(UNKNOWN, "…")
    .replaceAll(TAINTED, "…");
}
