import { JsonError, readJson } from "@hookwarden/sandbox/json";
import { type ErrorCode, HookwardenError } from "../errors/index.ts";

const limits = {
  maxDepth: 256,
  maxKeys: Infinity,
  maxKeyLength: 65_536,
  forbiddenKeys: new Set(["__proto__"]),
} as const;

/**
 * Reads a record strictly: one JSON object, no duplicate keys, no `__proto__`.
 *
 * @param line for the message, from 1.
 * @param code of the error.
 * @throws {HookwardenError} `log-broken`, or the code that the caller gave.
 */
export function readRecord(
  text: string,
  line: number,
  code: ErrorCode = "log-broken",
): { readonly [member: string]: unknown } {
  try {
    const value = readJson(text, limits);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new TypeError("no object");
    // The strict reader replaces lone surrogates; what a host sent with some in it was decided with them.
    const exact: unknown = text.includes("\\ud") ? JSON.parse(text) : value;
    return exact as { readonly [member: string]: unknown };
  } catch (error) {
    const why = error instanceof JsonError ? error.message : "is not an object";
    throw new HookwardenError(code, `the record ${why}`, { line });
  }
}
