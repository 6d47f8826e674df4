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

  constructor(code: JsonErrorCode, message: string, at: JsonPosition) {
    super(message);
    this.code = code;
    this.offset = at.offset;
    this.line = at.line;
    this.column = at.column;
    this.pointer = at.pointer;
  }
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
