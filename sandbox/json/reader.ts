import { JsonError, type JsonErrorCode, pointerPart } from "./error.ts";
import { forbiddenKeys, type JsonLimits } from "./limits.ts";
import { locate } from "./locate.ts";
import { quote } from "./quote.ts";

const quotation = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const minus = 0x2d;
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

/** One pass over one text. See `readJson` for what it accepts. */
export class Reader {
  private readonly text: string;
  private readonly maxDepth: number;
  private readonly maxKeys: number;
  private readonly maxKeyLength: number;
  private readonly forbidden: ReadonlySet<string>;
  private at = 0;
  private keys = 0;
  /** Whether the string that was read last may hold surrogates. */
  private wide = false;

  constructor(text: string, limits: JsonLimits) {
    this.text = text;
    this.maxDepth = limits.maxDepth;
    this.maxKeys = limits.maxKeys;
    this.maxKeyLength = limits.maxKeyLength;
    this.forbidden = limits.forbiddenKeys ?? forbiddenKeys;
  }

  document(): unknown {
    const value = this.value(this.next(), 1);
    this.next();
    if (this.at < this.text.length) this.unexpected();
    return value;
  }

  /** Passes white space; answers the code of the character behind it (`NaN` at the end) without passing that. */
  private next(): number {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++at);
    this.at = at;
    return code;
  }

  /** Reads the value that starts with the character `code` at the current place. */
  private value(code: number, depth: number): unknown {
    switch (code) {
      case quotation: {
        const value = this.string();
        return this.wide && !value.isWellFormed() ? value.toWellFormed() : value;
      }
      case 0x7b:
        return this.object(depth);
      case 0x5b:
        return this.array(depth);
      case 0x74:
        return this.word("true", true);
      case 0x66:
        return this.word("false", false);
      case 0x6e:
        return this.word("null", null);
      default:
        return this.number(code);
    }
  }

  private object(depth: number): object {
    if (depth > this.maxDepth) this.refuse("too-deep", `nests deeper than ${this.maxDepth} levels`, this.at);
    const object: Record<string, unknown> = Object.create(null);
    this.at++;
    let code = this.next();
    if (code === 0x7d) {
      this.at++;
      return object;
    }
    for (;;) {
      if (code !== quotation) this.unexpected();
      const keyStart = this.at;
      const key = this.string();
      // No value is `undefined`, so this is a test for an own key, and the fastest one.
      if (object[key] !== undefined) this.refuseKey("duplicate-key", "stands twice", key, keyStart);
      if (++this.keys > this.maxKeys)
        this.refuse("too-many-keys", `has more than ${this.maxKeys} keys`, keyStart);
      if (key.length > this.maxKeyLength) {
        this.refuseKey("key-too-long", `is longer than ${this.maxKeyLength} characters`, key, keyStart);
      }
      if (this.forbidden.has(key)) this.refuseKey("forbidden-key", "is forbidden", key, keyStart);
      if (this.wide && !key.isWellFormed())
        this.refuseKey("surrogate", "has a lone surrogate", key, keyStart);
      if (this.next() !== 0x3a) this.unexpected();
      this.at++;
      object[key] = this.value(this.next(), depth + 1);
      code = this.next();
      this.at++;
      if (code === 0x7d) return object;
      if (code !== comma) this.unexpected(this.at - 1);
      code = this.next();
    }
  }

  private array(depth: number): unknown[] {
    if (depth > this.maxDepth) this.refuse("too-deep", `nests deeper than ${this.maxDepth} levels`, this.at);
    const array: unknown[] = [];
    this.at++;
    let code = this.next();
    if (code === 0x5d) {
      this.at++;
      return array;
    }
    for (;;) {
      array.push(this.value(code, depth + 1));
      code = this.next();
      this.at++;
      if (code === 0x5d) return array;
      if (code !== comma) this.unexpected(this.at - 1);
      code = this.next();
    }
  }

  /** Reads the string whose quotation mark stands at the current place. Most have no escape: those are one slice. */
  private string(): string {
    const { text } = this;
    const start = this.at + 1;
    const soon = start + shortString;
    let at = start;
    let seen = 0;
    let code = text.charCodeAt(at);
    while (code !== quotation && code !== backslash && code >= 0x20 && at < soon) {
      seen |= code;
      code = text.charCodeAt(++at);
    }
    this.wide = seen >= surrogates;
    if (at === soon) {
      plainRun.lastIndex = at;
      plainRun.test(text);
      at = plainRun.lastIndex;
      code = text.charCodeAt(at);
      this.wide = true;
    }
    this.at = at;
    if (code === quotation) {
      this.at++;
      return text.slice(start, at);
    }
    if (code === backslash) return this.escapedString(start);
    return this.badCharacter();
  }

  /** Reads on from the first escape of a string that starts at `start`. */
  private escapedString(start: number): string {
    const { text } = this;
    this.wide = true;
    let value = text.slice(start, this.at);
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code === quotation) {
        this.at++;
        return value;
      }
      if (code !== backslash) return this.badCharacter();
      value += this.escape();
      plainRun.lastIndex = this.at;
      plainRun.test(text);
      value += text.slice(this.at, plainRun.lastIndex);
      this.at = plainRun.lastIndex;
    }
  }

  private escape(): string {
    const { text, at } = this;
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

  private badCharacter(): never {
    if (this.at >= this.text.length) this.unexpected();
    return this.refuse("syntax", "has a control character in a string that is not escaped", this.at);
  }

  private number(first: number): number {
    const { text } = this;
    const start = this.at;
    let at = start;
    let code = first;
    if (code === minus) code = text.charCodeAt(++at);
    if (code === zero) {
      code = text.charCodeAt(++at);
    } else if (code > zero && code <= nine) {
      let small = 0;
      do {
        small = small * 10 + (code - zero);
        code = text.charCodeAt(++at);
      } while (code >= zero && code <= nine);
      // Up to 15 digits the sum above is exact.
      if (at - start <= 15 && code !== 0x2e && code !== 0x65 && code !== 0x45) {
        this.at = at;
        return first === minus ? -small : small;
      }
    } else {
      this.unexpected(at);
    }
    if (code === 0x2e) {
      at = this.digits(at + 1);
      code = text.charCodeAt(at);
    }
    if (code === 0x65 || code === 0x45) {
      code = text.charCodeAt(at + 1);
      at = this.digits(code === 0x2b || code === minus ? at + 2 : at + 1);
    }
    this.at = at;
    const value = Number(text.slice(start, at));
    if (!Number.isFinite(value)) this.refuse("number", "has a number that no double can hold", start);
    return value;
  }

  /** Passes one or more digits; answers where they end. */
  private digits(start: number): number {
    const { text } = this;
    let at = start;
    let code = text.charCodeAt(at);
    while (code >= zero && code <= nine) code = text.charCodeAt(++at);
    if (at === start) this.unexpected(at);
    return at;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) {
      let at = this.at;
      for (let index = 0; this.text.charCodeAt(at) === word.charCodeAt(index); index++) at++;
      this.unexpected(at);
    }
    this.at += word.length;
    return value;
  }

  private unexpected(at = this.at): never {
    const character = this.text.codePointAt(at);
    if (character === undefined) return this.refuse("syntax", "ends too early", this.text.length);
    return this.refuse("syntax", `has an unexpected ${quote(String.fromCodePoint(character))}`, at);
  }

  private refuse(code: JsonErrorCode, message: string, at: number): never {
    throw new JsonError(code, message, locate(this.text, at));
  }

  private refuseKey(code: JsonErrorCode, message: string, key: string, at: number): never {
    const place = locate(this.text, at);
    // The place is the start of the key, so the pointer found there is that of the object.
    const shown = key.length > this.maxKeyLength ? key.slice(0, this.maxKeyLength) : key;
    throw new JsonError(code, `has a key ${quote(key)} that ${message}`, {
      ...place,
      pointer: `${place.pointer}${pointerPart(shown)}`,
    });
  }
}

function hexadecimal(code: number): number {
  if (code >= zero && code <= nine) return code - zero;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
