import { isObject } from "@hookwarden/sandbox/json";
import { JsonError, type JsonLimits, readJson } from "@hookwarden/sandbox/json";
import { maxEventDepth } from "hookwarden/broker";
import { envelopeProblem } from "./spelling.ts";

/** Messages of JSON-RPC 2.0, as the Model Context Protocol uses it. */

export type RequestId = string | number;
export { isObject };

export type JsonObject = { readonly [key: string]: unknown };

/** Any message, as strict JSON made it: an object whose fields have not been checked yet. */
export type RawMessage = JsonObject;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a message is. `key` distinguishes the ids `1` and `"1"`. */
export type Classified =
  | { readonly kind: "request"; readonly id: RequestId; readonly key: string; readonly method: string }
  | { readonly kind: "notification"; readonly method: string }
  | { readonly kind: "result"; readonly id: RequestId; readonly key: string; readonly result: unknown }
  | { readonly kind: "error"; readonly id: RequestId; readonly key: string; readonly error: unknown }
  | { readonly kind: "invalid"; readonly id: RequestId | null; readonly why: string };

/** Codes of JSON-RPC, and the one that MCP's own libraries use for a connection that is gone. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Free for implementations: the proxy refuses, or what lies behind it is gone. */
  refused: -32000,
} as const;

const longestId = 512;

/** An id with its type in front, so that `1` and `"1"` are two. */
export function idKey(id: RequestId): string {
  return typeof id === "number" ? `n:${id}` : `s:${id}`;
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "number" ? Number.isFinite(value) : isShortText(value);
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length <= longestId;
}

/**
 * Says what a message is. A message that two readers could take for two things (a call that is an answer too, a call
 * without an id that one server might run all the same) is invalid, and goes nowhere.
 */
export function classify(message: unknown): Classified {
  if (!isObject(message)) return { kind: "invalid", id: null, why: "a message must be a JSON object" };
  const has = (field: string): boolean => message[field] !== undefined;
  const id = message["id"];
  const known = isRequestId(id) ? id : null;
  const invalid = (why: string): Classified => ({ kind: "invalid", id: known, why });
  if (message["jsonrpc"] !== "2.0") return invalid('`jsonrpc` must be "2.0"');
  const misspelt = envelopeProblem(message);
  if (misspelt !== null) return invalid(misspelt);
  const { method, result, error } = message;
  if (method !== undefined) {
    if (typeof method !== "string") return invalid("`method` must be a string");
    if (has("result") || has("error")) return invalid("a message is either a request or a response");
    if (id === undefined) return { kind: "notification", method };
    if (known === null) return invalid("`id` must be a string of at most 512 characters, or a number");
    return { kind: "request", id: known, key: idKey(known), method };
  }
  if (has("result") === has("error"))
    return invalid("a message has a `method`, or one of `result` and `error`");
  if (known === null) return invalid("a response must have the `id` of its request");
  return result !== undefined
    ? { kind: "result", id: known, key: idKey(known), result }
    : { kind: "error", id: known, key: idKey(known), error };
}

export function resultMessage(id: RequestId, result: JsonObject): RawMessage {
  return { jsonrpc: "2.0", id, result };
}

export function errorMessage(id: RequestId | null, error: RpcError): RawMessage {
  // MCP knows no `null` id: where none could be read, none is sent.
  return id === null ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/**
 * The text of a message as it came, so that what was not changed goes on byte for byte, numbers included. There is none
 * for a message that was read as something else than it says: it goes on as it was read.
 */
const texts = new WeakMap<object, string>();

/** A message as text: the one that it came as, where it came from a line and is as it was. */
export function messageText(message: object): string {
  return texts.get(message) ?? JSON.stringify(message);
}

/** The text that a message came as; `undefined` where it was made here, or came by other ways than a line. */
export function originalText(message: object): string | undefined {
  return texts.get(message);
}

/** What the strict reader holds messages to. A tool may well have an argument named `constructor`. */
export function messageLimits(maxBytes: number): JsonLimits {
  return {
    maxBytes,
    maxDepth: maxEventDepth,
    // Bounded by the size of the text already.
    maxKeys: Infinity,
    maxKeyLength: 65_536,
    forbiddenKeys: new Set(["__proto__"]),
  };
}

/**
 * Reads one line: a message, or a batch of them (which MCP had for a time).
 *
 * @throws {JsonError}
 */
export function readMessages(text: string, limits: JsonLimits): readonly unknown[] {
  const value = readJson(text, limits);
  if (Array.isArray(value)) return value;
  if (isObject(value) && !hasLoneSurrogate(text)) texts.set(value, text);
  return [value];
}

/** A pair of surrogates, a lone one (the group), or any other escape. */
const escapes =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

/**
 * Whether a JSON text has an escape for half of a surrogate pair. The strict reader makes U+FFFD of it, and other
 * readers something else: Python's file functions take some of them for bytes of a file's name.
 */
export function hasLoneSurrogate(text: string): boolean {
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false;
  for (const [, lone] of text.matchAll(escapes)) if (lone !== undefined) return true;
  return false;
}

/**
 * A value that came as an object, with U+FFFD in place of lone surrogates, as events have it.
 *
 * @returns the same value where it has none. @throws {TypeError} for a key that has one, and for what has no end.
 */
export function toWellFormed(value: unknown, depth = 1): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxEventDepth) throw new TypeError(`the message nests deeper than ${maxEventDepth} levels`);
  if (Array.isArray(value)) {
    const items = value.map((item) => toWellFormed(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  const source = value as JsonObject;
  let copy: { [key: string]: unknown } | null = null;
  for (const key of Object.keys(source)) {
    if (!key.isWellFormed()) throw new TypeError("the message has a key with a lone surrogate");
    const inner = source[key];
    const formed = toWellFormed(inner, depth + 1);
    if (formed !== inner) (copy ??= { ...source })[key] = formed;
  }
  return copy ?? value;
}

/** The id in a text that the strict reader has refused, so that its sender does not wait for ever. */
export function idOfRefused(text: string): { id: RequestId | null; answer: boolean } {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return { id: null, answer: false };
    return {
      id: isRequestId(value["id"]) ? value["id"] : null,
      answer: value["method"] === undefined,
    };
  } catch {
    return { id: null, answer: false };
  }
}

/** Whether a text has a number that a double does not hold as it is written: hooks would judge another one than the tool gets. */
export function losesNumbers(text: string): boolean {
  if (!/\d[\d.]{15}|\d[eE]/.test(text)) return false;
  let loses = false;
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value === "number" && context?.source !== undefined) loses ||= isLost(context.source, value);
    return value;
  });
  return loses;
}

/** A double has 17 significant digits at most, and is not 0 where any of its digits is not. */
function isLost(source: string, value: number): boolean {
  // 1e300 is as it was written; 9007199254740993 is not.
  if (/^-?\d+$/.test(source)) return !Number.isSafeInteger(value) && BigInt(source) !== BigInt(value);
  const digits = source
    .replace(/[eE].*$/, "")
    .replace(/\D/g, "")
    .replace(/^0+/, "");
  return digits.replace(/0+$/, "").length > 17 || (value === 0 && digits !== "");
}

/** A refusal of the strict reader, in words. */
export function refusalText(error: unknown): string {
  return error instanceof JsonError
    ? `the message ${error.message} (column ${error.column})`
    : "the message cannot be read";
}
