import { memoize } from "../memoize.ts";
import { combining, entityNamed, lookalikes, plainOf } from "./characters.ts";
import { Rewriter } from "./edits.ts";
import { imitationsAsLatin } from "./imitations.ts";
import type { TextEdit } from "./row.ts";

/** A string in one form, and how it relates to the original. */
export interface Normalized {
  readonly text: string;
  readonly edits: readonly TextEdit[];
  /** How many invisible characters were removed. */
  readonly removed: number;
  readonly bidi: boolean;
  /** How many pieces were replaced. */
  readonly replaced: number;
}

/** What a UTF-16 code unit is, as far as it is known: 0 if it is not. */
const kinds = new Uint8Array(65_536);
const [plain, single, combines, reference, escape, surrogate] = [1, 2, 3, 4, 5, 6];

function kindOf(unit: number): number {
  const known = kinds[unit] as number;
  return known === 0 ? (kinds[unit] = classify(unit)) : known;
}

function classify(unit: number): number {
  if (unit >= 0xd800 && unit < 0xe000) return surrogate;
  const char = String.fromCharCode(unit);
  if (char === "&") return reference;
  if (char === "\u001b") return escape;
  const text = plainOf(char);
  if (text !== "" && combining.test(char)) return combines;
  return text === char ? plain : single;
}

/** More marks than this on one character are removed. No script uses so many; floods cover other lines. */
const maxMarks = 16;

const referencePattern = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));?/y;
const terminal = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/suy;
const directions = /[\u202a-\u202e\u2066-\u2069]/;

/** The plain form of a character beyond the basic plane. */
const plainPair = memoize(plainOf, { entries: 10_000, length: 2 });

/** Most texts: ASCII without controls and character references. */
const ordinary = /^[\t\n\r\x20-\x25\x27-\x7e]*$/;

/** Brings a string into one form. */
export function normalize(source: string): Normalized {
  if (ordinary.test(source)) return { text: source, edits: [], removed: 0, bidi: false, replaced: 0 };
  const out = new Rewriter(source);
  let [removed, replaced] = [0, 0];
  for (let at = 0; at < source.length;) {
    const kind = kindOf(source.charCodeAt(at));
    if (kind === plain) {
      at++;
      continue;
    }
    const piece = readPiece(source, at, kind, out);
    if (piece !== null) {
      out.replace(piece.start, piece.end, piece.text);
      replaced++;
      if (piece.text === "") removed++;
    }
    at = piece?.end ?? at + (kind === surrogate ? pairLength(source, at) : 1);
  }
  const { text, edits } = out.finish();
  const latin = imitationsAsLatin(text);
  return { text: latin, edits, removed, bidi: removed > 0 && directions.test(source), replaced };
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The piece to replace at an index; `null` if the character stays. */
function readPiece(source: string, at: number, kind: number, out: Rewriter): Piece | null {
  switch (kind) {
    case single:
      return { start: at, end: at + 1, text: plainOf(source.charAt(at)) };
    case combines:
      return combined(source, at, 1, out);
    case reference:
      return referenced(source, at);
    case escape:
      terminal.lastIndex = at;
      return { start: at, end: at + (terminal.exec(source)?.[0].length ?? 1), text: "" };
    default: {
      const char = source.slice(at, at + pairLength(source, at));
      if (combining.test(char)) return combined(source, at, char.length, out);
      const text = char.length === 1 ? "\ufffd" : plainPair(char);
      return text === char ? null : { start: at, end: at + char.length, text };
    }
  }
}

function pairLength(source: string, at: number): number {
  return (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** A character with the marks and letters that follow and combine with it. */
function combined(source: string, at: number, length: number, out: Rewriter): Piece {
  let end = at + length;
  while (end < source.length && kindOf(source.charCodeAt(end)) === combines) end++;
  const base = out.before(at);
  const marks = source.slice(at, Math.min(end, at + maxMarks));
  const text = (base.text + marks).normalize("NFKC");
  // Latin letters that exist with a mark are one character in this form; other marks on them only disturb.
  const isLatin = /^[\p{Script=Latin}\d]/u.test(text) || lookalikes.has(base.text);
  const bare = base.text === "" || isLatin ? text.replace(/\p{M}+/gu, "") : text;
  if (bare === base.text + source.slice(at, end)) return { start: at, end, text: source.slice(at, end) };
  return { start: base.start, end, text: bare };
}

function referenced(source: string, at: number): Piece | null {
  referencePattern.lastIndex = at;
  const [whole, decimal, hexadecimal, name] = referencePattern.exec(source) ?? [];
  if (whole === undefined) return null;
  const end = at + whole.length;
  if (name !== undefined) {
    const text = whole.endsWith(";") ? entityNamed(name) : undefined;
    return text === undefined ? null : { start: at, end, text: plainText(text) };
  }
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  const isCharacter = code > 0 && code < 0x110000 && (code < 0xd800 || code > 0xdfff);
  return { start: at, end, text: isCharacter ? plainOf(String.fromCodePoint(code)) : "\ufffd" };
}

function plainText(text: string): string {
  return [...text].map(plainOf).join("");
}
