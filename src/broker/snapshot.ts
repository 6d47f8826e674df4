import { forbiddenEventKeys, pointerPart, quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";

/** Maximum nesting depth of an event, given as text or as an object. */
export const maxEventDepth = 128;

/**
 * Copies plain JSON data out of a host's objects, so that the host cannot change it after validation.
 * Properties that are `undefined` are left out, as `JSON.stringify` does; lone surrogates in texts become U+FFFD. Each
 * property is read once.
 *
 * @throws {HookwardenError} `event-invalid` with a pointer for what has no one JSON form: functions, symbols, bigints,
 * numbers that are not finite, instances of classes (dates, maps, anything with `toJSON`), holes, cycles and what nests
 * deeper than `maxEventDepth`; `event-too-large` where the text alone is more than `maxBytes`.
 */
export function snapshot(value: unknown, maxBytes: number): unknown {
  const copier = new Copier(maxBytes);
  let copy: unknown;
  try {
    copy = copier.copy(value, 1);
  } catch (error) {
    if (error instanceof HookwardenError) throw error;
    // A getter or a proxy of the host threw.
    throw new HookwardenError("event-invalid", "the event cannot be read: one of its properties throws", {
      pointer: copier.pointer(),
    });
  }
  // Compute the exact size only if the limit is between the lower and the upper bound.
  if (copier.maxSize > maxBytes && Buffer.byteLength(JSON.stringify(copy)) > maxBytes)
    throw tooLarge(maxBytes);
  return copy;
}

export function tooLarge(maxBytes: number): HookwardenError {
  return new HookwardenError("event-too-large", `the event is larger than ${maxBytes} bytes`);
}

class Copier {
  /** Lower and upper bound of the copied data's size as JSON, in bytes. */
  #minSize = 0;
  maxSize = 0;
  readonly #path: (string | number)[] = [];
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  pointer(): string {
    return this.#path.map(pointerPart).join("");
  }

  copy(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case "string":
        this.#addSize(value.length, 6 * value.length + 3);
        // As in the reader of texts: both forms of an event give the same result.
        return value.isWellFormed() ? value : value.toWellFormed();
      case "number":
        if (!Number.isFinite(value)) this.#refuse(`is ${value}, which JSON cannot hold`);
        this.#addSize(1, 26);
        return value;
      case "boolean":
        this.#addSize(4, 6);
        return value;
      case "object":
        if (value === null) {
          this.#addSize(4, 5);
          return null;
        }
        if (depth > maxEventDepth) this.#refuse(`nests deeper than ${maxEventDepth} levels, or in a cycle`);
        return Array.isArray(value) ? this.#copyArray(value, depth) : this.#copyObject(value, depth);
      default:
        return this.#refuse(`is a ${typeof value}, which JSON cannot hold`);
    }
  }

  #copyArray(values: readonly unknown[], depth: number): unknown[] {
    const { length } = values;
    this.#addSize(length, 3);
    const copy: unknown[] = [];
    for (let index = 0; index < length; index++) {
      this.#path.push(index);
      copy.push(this.copy(values[index], depth + 1));
      this.#path.pop();
    }
    return copy;
  }

  #copyObject(value: object, depth: number): object {
    const prototype = Object.getPrototypeOf(value) as object | null;
    // The second test accepts plain objects of another realm.
    if (prototype !== Object.prototype && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      this.#refuse("is an instance of a class; send plain JSON data");
    }
    const source = value as Record<string, unknown>;
    if (typeof source.toJSON === "function") this.#refuse("has a `toJSON` method; send plain JSON data");
    const copy: Record<string, unknown> = {};
    this.#addSize(2, 3);
    for (const key of Object.keys(source)) {
      this.#path.push(key);
      if (forbiddenEventKeys.has(key)) this.#refuse(`has a key ${quote(key)} that is forbidden`);
      if (!key.isWellFormed()) this.#refuse("has a key with a lone surrogate");
      const inner = source[key];
      if (inner !== undefined) {
        this.#addSize(key.length, 6 * key.length + 4);
        copy[key] = this.copy(inner, depth + 1);
      }
      this.#path.pop();
    }
    return copy;
  }

  #addSize(minSize: number, maxSize: number): void {
    this.#minSize += minSize;
    this.maxSize += maxSize;
    if (this.#minSize > this.#maxBytes) throw tooLarge(this.#maxBytes);
  }

  #refuse(what: string): never {
    const pointer = this.pointer();
    throw new HookwardenError("event-invalid", pointer ? `${quote(pointer)} ${what}` : `the event ${what}`, {
      pointer,
    });
  }
}
