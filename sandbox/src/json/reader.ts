import { JsonError, type JsonErrorCode, pointerPart } from "./error.ts";
import { forbiddenKeys, type JsonLimits } from "./limits.ts";
import { locate } from "./locate.ts";
import { quote } from "./quote.ts";
import { backslash, comma, quotation, Scanner } from "./scanner.ts";

/** Keys up to this length are remembered, the last one for each slot; ASCII only. */
const maxCachedKeyLength = 24;
const keyCacheSize: string[] = Array.from({ length: 256 }, () => "");

/** One pass over one text. See `readJson` for what it accepts. */
export class Reader extends Scanner {
  readonly #maxDepth: number;
  readonly #maxKeys: number;
  readonly #maxKeyLength: number;
  readonly #forbidden: ReadonlySet<string>;
  #keys = 0;

  constructor(text: string, limits: JsonLimits) {
    super(text);
    this.#maxDepth = limits.maxDepth;
    this.#maxKeys = limits.maxKeys;
    this.#maxKeyLength = limits.maxKeyLength;
    this.#forbidden = limits.forbiddenKeys ?? forbiddenKeys;
  }

  readDocument(): unknown {
    const value = this.#value(this.next(), 1);
    this.next();
    if (this.at < this.text.length) this.unexpected();
    return value;
  }

  /** Reads the value that starts with the character `code` at the current place. */
  #value(code: number, depth: number): unknown {
    switch (code) {
      case quotation: {
        const value = this.string();
        return this.wide && !value.isWellFormed() ? value.toWellFormed() : value;
      }
      case 0x7b:
        return this.#object(depth);
      case 0x5b:
        return this.#array(depth);
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

  #object(depth: number): object {
    if (depth > this.#maxDepth)
      this.refuse("too-deep", `nests deeper than ${this.#maxDepth} levels`, this.at);
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
      const key = this.#key();
      // No value is `undefined`, so this is a test for an own key, and the fastest one.
      if (object[key] !== undefined) this.#refuseKey("duplicate-key", "occurs twice", key, keyStart);
      if (++this.#keys > this.#maxKeys)
        this.refuse("too-many-keys", `has more than ${this.#maxKeys} keys`, keyStart);
      if (key.length > this.#maxKeyLength) {
        this.#refuseKey("key-too-long", `is longer than ${this.#maxKeyLength} characters`, key, keyStart);
      }
      if (this.#forbidden.has(key)) this.#refuseKey("forbidden-key", "is forbidden", key, keyStart);
      if (this.wide && !key.isWellFormed())
        this.#refuseKey("surrogate", "has a lone surrogate", key, keyStart);
      if (this.next() !== 0x3a) this.unexpected();
      this.at++;
      object[key] = this.#value(this.next(), depth + 1);
      code = this.next();
      this.at++;
      if (code === 0x7d) return object;
      if (code !== comma) this.unexpected(this.at - 1);
      code = this.next();
    }
  }

  #array(depth: number): unknown[] {
    if (depth > this.#maxDepth)
      this.refuse("too-deep", `nests deeper than ${this.#maxDepth} levels`, this.at);
    const array: unknown[] = [];
    this.at++;
    let code = this.next();
    if (code === 0x5d) {
      this.at++;
      return array;
    }
    for (;;) {
      array.push(this.#value(code, depth + 1));
      code = this.next();
      this.at++;
      if (code === 0x5d) return array;
      if (code !== comma) this.unexpected(this.at - 1);
      code = this.next();
    }
  }

  /**
   * Reads a key. Keys come again and again, and a string that has been a key before spares the engine to cut it out and
   * to look it up in its table of names.
   */
  #key(): string {
    const { text } = this;
    const start = this.at + 1;
    const soon = start + maxCachedKeyLength;
    let at = start;
    let hash = 0;
    let code = text.charCodeAt(at);
    while (code !== quotation && code !== backslash && code >= 0x20 && code < 0x80 && at < soon) {
      hash = (hash * 31 + code) | 0;
      code = text.charCodeAt(++at);
    }
    if (code !== quotation) return this.string();
    const slot = (hash ^ (hash >>> 8)) & (keyCacheSize.length - 1);
    const known = keyCacheSize[slot] ?? "";
    this.at = at + 1;
    this.wide = false;
    if (known.length === at - start && text.startsWith(known, start)) return known;
    return (keyCacheSize[slot] = text.slice(start, at));
  }

  #refuseKey(code: JsonErrorCode, message: string, key: string, at: number): never {
    const place = locate(this.text, at);
    // The place is the start of the key, so the pointer found there is that of the object.
    const shown = key.length > this.#maxKeyLength ? key.slice(0, this.#maxKeyLength) : key;
    throw new JsonError(code, `has a key ${quote(key)} that ${message}`, {
      ...place,
      pointer: `${place.pointer}${pointerPart(shown)}`,
    });
  }
}
