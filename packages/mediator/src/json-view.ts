import { randomUUID } from "node:crypto";
import { HookwardenError } from "hookwarden/errors";

/** A value as hooks see it: plain JSON, with bytes replaced by a reference to them. */
export interface JsonView {
  readonly value: unknown;
  /**
   * The framework's value if hooks saw exactly that, or a copy of what they saw: events have U+FFFD in place of lone
   * surrogates, which a tool may take for other bytes, such as those of a file's name.
   */
  readonly judged: unknown;
  /** Resolves the references in a value that a hook derived from the view. */
  restore(value: unknown): unknown;
}

/**
 * Shows a framework's value as JSON, as `JSON.stringify` would. Bytes are shown by their count, since hooks would read
 * megabytes of digits otherwise. A reference contains a random id, so that a model or a hook cannot forge one.
 *
 * @throws {HookwardenError} `event-invalid` for a value without a JSON form, such as a cycle or a bigint.
 */
export function jsonView(value: unknown): JsonView {
  if (typeof value === "string" || value === null || typeof value === "boolean" || value === undefined) {
    const judged = wellFormed("", value);
    return { value: judged ?? null, judged, restore: (other) => other };
  }
  const kept: unknown[] = [];
  let id = "";
  let text: string | undefined;
  try {
    text = JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
      // `this[key]`: a Buffer has been turned into an array of numbers already.
      const raw = this[key];
      if (typeof raw !== "object" || raw === null) return shown;
      if (!ArrayBuffer.isView(raw) && !(raw instanceof ArrayBuffer)) return shown;
      id ||= randomUUID();
      return { $bytes: raw.byteLength, $ref: `${id}:${kept.push(raw) - 1}` };
    });
  } catch (cause) {
    throw new HookwardenError("event-invalid", "a value of the agent has no JSON form", {}, { cause });
  }
  // `JSON.stringify` escapes surrogates only where they are lone.
  const isSuspect = text !== undefined && /\\ud[89a-f]/.test(text);
  const view: unknown = text === undefined ? null : JSON.parse(text, isSuspect ? wellFormed : undefined);
  const restore = (other: unknown): unknown => (kept.length === 0 ? other : restored(other, id, kept));
  const isExact = !isSuspect || JSON.stringify(view) === text;
  return { value: view, judged: isExact ? value : restore(view), restore };
}

function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}

function restored(value: unknown, id: string, kept: readonly unknown[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => restored(item, id, kept));
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === "string" && $ref.startsWith(`${id}:`)) {
    const index = Number($ref.slice(id.length + 1));
    if (Number.isInteger(index) && index >= 0 && index < kept.length) return kept[index];
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, restored(inner, id, kept)]));
}

/** Arguments as the object that events carry: a value that is not an object becomes `{ "args": [value] }`. */
export function asInput(view: unknown): { readonly [field: string]: unknown } {
  if (typeof view === "object" && view !== null && !Array.isArray(view))
    return view as Record<string, unknown>;
  return { args: Array.isArray(view) ? view : [view] };
}

/** The inverse of `asInput`, for an input that a hook rewrote. */
export function fromInput(original: unknown, input: unknown): unknown {
  if (typeof original === "object" && original !== null && !Array.isArray(original)) return input;
  const { args } = input as { args?: unknown };
  if (!Array.isArray(args)) return input;
  return Array.isArray(original) ? args : args[0];
}
