/**
 * What can be wrong with a JSON text. `syntax` is what RFC 8259 forbids; all others are texts that `JSON.parse` would
 * take, and that two readers could understand differently, or that cost more than they may.
 */
export type JsonErrorCode =
  | "syntax"
  | "encoding"
  | "duplicate-key"
  | "forbidden-key"
  | "key-too-long"
  | "too-many-keys"
  | "too-deep"
  | "too-large"
  | "number"
  | "surrogate";

/** A JSON text that was refused, with the place. The message contains no text from the input but a quoted key. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly code: JsonErrorCode;
  /** From 0: in UTF-16 code units of the text; for `encoding` in bytes. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 code units; for `encoding` in bytes. */
  readonly column: number;
  /** JSON pointer (RFC 6901) of the value, or of the key, that is wrong; empty for the document itself. */
  readonly pointer: string;
  /** What to do about it, as a sentence. */
  readonly fix: string;

  constructor(code: JsonErrorCode, message: string, at: JsonPosition, fix?: string) {
    super(message);
    this.code = code;
    this.offset = at.offset;
    this.line = at.line;
    this.column = at.column;
    this.pointer = at.pointer;
    this.fix = fix ?? fixes[code];
  }
}

const fixes: { readonly [Code in JsonErrorCode]: string } = {
  syntax: "Look for a missing comma or quotation mark before this place.",
  encoding: "Save the text as UTF-8.",
  "duplicate-key": "Keep one of the two.",
  "forbidden-key": "Rename the key: JavaScript gives it a meaning of its own.",
  "key-too-long": "Shorten the key.",
  "too-many-keys": "Split the text, or leave out keys.",
  "too-deep": "Flatten the value.",
  "too-large": "Split or shorten the text.",
  number: "Write a number that a double can hold, or a string.",
  surrogate: "Write both halves of the surrogate pair, or the character itself.",
};

/** What usually causes an unexpected character, and how to put it right; `undefined` for an unusual one. */
export function syntaxFix(text: string, at: number): string | undefined {
  const character = text.charAt(at);
  const before = text.slice(0, at).trimEnd().at(-1) ?? "";
  if (at >= text.length) {
    return text.trim() === ""
      ? "The text is empty; it must hold a JSON value."
      : "Close the last string, list or object.";
  }
  if (character === "/" || character === "#") return "Remove the comment: JSON has none.";
  if (character === "'") return "Write strings and keys in double quotes.";
  if (before === "," && "]},".includes(character)) return "Remove the comma before it.";
  if ("{,".includes(before) && /[\p{L}_$]/u.test(character)) return "Write keys in double quotes.";
  if (/["\]}0-9elsu]/.test(before) && /["[{0-9tfn-]/.test(character)) return "Put a comma before it.";
  if (text.slice(at).startsWith("\n") || character === "\r")
    return "Write a line break in a string as `\\n`.";
  if (/^(NaN|Infinity|undefined)/.test(text.slice(at)))
    return "JSON has no such value; write `null` or a string.";
  return undefined;
}

export interface JsonPosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly pointer: string;
}

/** One part of a JSON pointer, escaped as RFC 6901 wants it. */
export function pointerPart(name: string | number): string {
  return `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
