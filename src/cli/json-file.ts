import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { JsonError, quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";

/** Largest file that an option may name, in bytes. */
const maxBytes = 8_388_608;
const limits = { maxBytes, maxDepth: 128, maxKeys: 200_000, maxKeyLength: 4_096 } as const;

/**
 * Reads a JSON file that an option names.
 *
 * @throws {HookwardenError} `file-unreadable`; `option-invalid` with line and column where it is no strict JSON
 */
export async function readJsonFile(path: string): Promise<unknown> {
  return parse(await readBytes(path), path);
}

/** Reads JSON that is written out as an option's value. @throws {HookwardenError} `usage` */
export function readJsonOption(text: string, option: string): unknown {
  try {
    return readJsonBytes(Buffer.from(text), limits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new HookwardenError(
      "usage",
      `the value of \`${option}\` ${error.message} (column ${error.column})`,
    );
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  const file = await openFile(path);
  try {
    const stats = await file.stat();
    if (stats.isFile() && stats.size > maxBytes) {
      throw new HookwardenError("file-unreadable", `the file is larger than ${maxBytes} bytes`, {
        file: path,
      });
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Opens a file for reading, or a pipe such as the shell makes for `<(…)`.
 *
 * @throws {HookwardenError} `file-unreadable`
 */
export async function openFile(path: string): ReturnType<typeof open> {
  try {
    const file = await open(path, constants.O_RDONLY);
    if (!(await file.stat()).isDirectory()) return file;
    await file.close();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const what = code === "ENOENT" || code === "ENOTDIR" ? "is missing" : `cannot be opened (${code})`;
    throw new HookwardenError("file-unreadable", `the file ${quote(path)} ${what}`, { file: path });
  }
  throw new HookwardenError("file-unreadable", `${quote(path)} is a folder, not a file`, { file: path });
}

function parse(bytes: Uint8Array, file: string): unknown {
  try {
    return readJsonBytes(bytes, limits);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { line, column, pointer } = error;
    throw new HookwardenError("option-invalid", `the file ${error.message}`, { file, line, column, pointer });
  }
}
