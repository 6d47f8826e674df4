import { JsonError } from "@hookwarden/sandbox/json";
import { type ErrorCode, type ErrorPlace, HookwardenError } from "./errors.ts";

/**
 * Runs a reader of JSON. A text that it refuses becomes an error with the place and the remedy.
 *
 * @param what what is read, as the subject of the message: `the file`.
 * @throws {HookwardenError} with `code`
 */
export function readingJson<T>(code: ErrorCode, what: string, read: () => T, place: ErrorPlace = {}): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer, fix } = error;
    // A pointer that is given leads to the text itself, as where a field holds JSON.
    const at = { ...(pointer === "" ? {} : { pointer }), ...place, line, column };
    throw new HookwardenError(code, `${what} ${error.message}`, at, { cause: error, fix });
  }
}
