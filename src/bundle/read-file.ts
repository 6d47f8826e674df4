import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type JsonLimits, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { type ErrorCode, fileError, HookwardenError, readingJson } from "../errors/index.ts";

/** Never wait for the other end of a pipe, never become a terminal's owner. */
const careful = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/**
 * Reads a regular file whole. `what` is how messages call it.
 *
 * @throws {HookwardenError} `file-unreadable`
 */
export async function readWholeFile(path: string, maxBytes: number, what: string): Promise<Buffer> {
  const unreadable = (why: string): HookwardenError =>
    new HookwardenError("file-unreadable", `${what} ${quote(path)} ${why}`, { file: path });
  const file = await open(path, careful).catch((error: unknown) => Promise.reject(fileError(path, error)));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unreadable("is not a regular file");
    if (stats.size > maxBytes) throw unreadable(`is larger than ${maxBytes} bytes`);
    const buffer = Buffer.alloc(stats.size + 1);
    let filled = 0;
    for (;;) {
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, filled);
      filled += bytesRead;
      if (filled > stats.size) throw unreadable("grows while it is read");
      if (bytesRead === 0) return buffer.subarray(0, filled);
    }
  } catch (error) {
    throw error instanceof HookwardenError ? error : fileError(path, error);
  } finally {
    await file.close();
  }
}

/** Reads a file of strict JSON. @throws {HookwardenError} `file-unreadable`, or `code` where it is not strict JSON */
export async function readJsonFile(
  path: string,
  what: string,
  code: ErrorCode,
  limits: JsonLimits & { readonly maxBytes: number },
): Promise<unknown> {
  const bytes = await readWholeFile(path, limits.maxBytes, `the ${what}`);
  return readingJson(code, `the ${what}`, () => readJsonBytes(bytes, limits), { file: path });
}
