import { JsonError, type JsonErrorCode, syntaxFix } from "./error.ts";
import { locate } from "./locate.ts";
import { quote } from "./quote.ts";

export const quotation = 0x22;
export const backslash = 0x5c;
export const comma = 0x2c;
const minus = 0x2d;
const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;
const surrogates = 0xd800;

/** Strings up to this length are looked at character by character: that is faster than starting the expression below. */
const shortString = 32;
/** Up to the end of a string, an escape, or a character that a string cannot have. */
// oxlint-disable-next-line no-control-regex
const plainRun = /[^"\\\u0000-\u001f]*/y;

const escapes: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, "\\"],
  [0x2f, "/"],
  [0x62, "\b"],
  [0x66, "\f"],
  [0x6e, "\n"],
  [0x72, "\r"],
  [0x74, "\t"],
]);

/** The powers of ten that a double holds exactly, as far as they are needed. */
const powersOfTen = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/** Reads the parts of a JSON text that have no parts: strings, numbers, words. */
export class Scanner {
  protected readonly text: string;
  protected at = 0;
  /** Whether the string that was read last may hold surrogates. */
  protected wide = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Passes white space; answers the code of the character behind it (`NaN` at the end) without passing that. */
  protected next(): number {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    this.at = at;
    return code;
  }

  /** Reads the string that starts at the current position. Fast path: a string without escapes is one slice. */
  protected string(): string {
    const { text } = this;
    const start = this.at + 1;
    this.wide = false;
    let at = this.#plainEnd(start);
    let code = text.charCodeAt(at);
    if (code === quotation) {
      this.at = at + 1;
      return text.slice(start, at);
    }
    this.wide = true;
    let value = text.slice(start, at);
    while (code === backslash) {
      value += this.#escape(at);
      const next = this.at;
      at = this.#plainEnd(next);
      value += text.slice(next, at);
      code = text.charCodeAt(at);
    }
    this.at = at;
    if (code !== quotation) return this.#badCharacter();
    this.at++;
    return value;
  }

  /** End of the run of literal characters: a quotation mark, an escape, or a character that is invalid in strings. */
  #plainEnd(start: number): number {
    const { text } = this;
    const soon = start + shortString;
    let at = start;
    let seen = 0;
    let code = text.charCodeAt(at);
    while (code !== quotation && code !== backslash && code >= 0x20 && at < soon) {
      seen |= code;
      code = text.charCodeAt(++at);
    }
    if (seen >= surrogates) this.wide = true;
    if (at < soon) return at;
    this.wide = true;
    plainRun.lastIndex = at;
    plainRun.test(text);
    return plainRun.lastIndex;
  }

  /** Reads the escape at a place, and leaves the reader behind it. */
  #escape(at: number): string {
    const { text } = this;
    const code = text.charCodeAt(at + 1);
    if (code !== 0x75) {
      const character = escapes.get(code);
      if (character === undefined) this.unexpected(at + 1);
      this.at = at + 2;
      return character;
    }
    let unit = 0;
    for (let place = at + 2; place < at + 6; place++) {
      const digit = hexadecimal(text.charCodeAt(place));
      if (digit < 0) this.unexpected(place);
      unit = unit * 16 + digit;
    }
    this.at = at + 6;
    return String.fromCharCode(unit);
  }

  #badCharacter(): never {
    if (this.at >= this.text.length) this.unexpected();
    return this.refuse("syntax", "has a control character in a string that is not escaped", this.at);
  }

  /** Reads the number that starts with the character `first` at the current place. */
  protected number(first: number): number {
    const { text } = this;
    const start = this.at;
    let at = first === minus ? start + 1 : start;
    const digitsStart = at;
    let code = text.charCodeAt(at);
    if (!(code >= zero && code <= nine)) this.unexpected(at);
    let digits = 0;
    if (code === zero) {
      code = text.charCodeAt(++at);
    } else {
      do {
        digits = digits * 10 + (code - zero);
        code = text.charCodeAt(++at);
      } while (code >= zero && code <= nine);
    }
    let places = 0;
    if (code === dot) {
      const fraction = at + 1;
      for (code = text.charCodeAt(++at); code >= zero && code <= nine; code = text.charCodeAt(++at)) {
        digits = digits * 10 + (code - zero);
      }
      places = at - fraction;
      if (places === 0) this.unexpected(at);
    }
    this.at = at;
    if (code === 0x65 || code === 0x45) {
      this.#exponent(at + 1);
    } else if (at - digitsStart <= 16) {
      // At most 15 digits and a dot, or 16 digits: then the digits are an exact double below 2^53, and so is the power
      // of ten, so that the one rounding of the division gives what a reader of decimal numbers gives.
      const value = places === 0 ? digits : digits / (powersOfTen[places] ?? 1);
      if (digits <= Number.MAX_SAFE_INTEGER) return first === minus ? -value : value;
    }
    const value = Number(text.slice(start, this.at));
    if (!Number.isFinite(value)) this.refuse("number", "has a number that no double can hold", start);
    return value;
  }

  /** Skips an exponent whose letter precedes `start`. */
  #exponent(start: number): void {
    const { text } = this;
    const sign = text.charCodeAt(start);
    const first = sign === 0x2b || sign === minus ? start + 1 : start;
    let at = first;
    let code = text.charCodeAt(at);
    while (code >= zero && code <= nine) code = text.charCodeAt(++at);
    if (at === first) this.unexpected(at);
    this.at = at;
  }

  protected word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) {
      let at = this.at;
      for (let index = 0; this.text.charCodeAt(at) === word.charCodeAt(index); index++) at++;
      this.unexpected(at);
    }
    this.at += word.length;
    return value;
  }

  protected unexpected(at = this.at): never {
    const character = this.text.codePointAt(at);
    const place = Math.min(at, this.text.length);
    const message =
      character === undefined
        ? "ends too early"
        : `has an unexpected ${quote(String.fromCodePoint(character))}`;
    throw new JsonError("syntax", message, locate(this.text, place), syntaxFix(this.text, place));
  }

  protected refuse(code: JsonErrorCode, message: string, at: number): never {
    throw new JsonError(code, message, locate(this.text, at));
  }
}

function hexadecimal(code: number): number {
  if (code >= zero && code <= nine) return code - zero;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
