import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { quote, readJsonBytes } from "@hookwarden/sandbox/json";
import { fileError, HookwardenError, readingJson } from "../errors/index.ts";

/** Largest file that an option may name, in bytes. */
const maxBytes = 8_388_608;
const limits = {
  maxBytes,
  maxDepth: 128,
  maxKeys: 200_000,
  maxKeyLength: 4_096,
  byteOrderMark: true,
} as const;

/**
 * Reads a JSON file that an option names.
 *
 * @throws {HookwardenError} `file-unreadable`; `option-invalid` with line and column where it is no strict JSON
 */
export async function readJsonFile(path: string): Promise<unknown> {
  const bytes = await readBytes(path);
  return readingJson("option-invalid", "the file", () => readJsonBytes(bytes, limits), { file: path });
}

/** Reads JSON that is written out as an option's value. @throws {HookwardenError} `usage` */
export function readJsonOption(text: string, option: string): unknown {
  return readingJson("usage", `the value of \`${option}\``, () => readJsonBytes(Buffer.from(text), limits));
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
    throw fileError(path, error);
  }
  throw new HookwardenError("file-unreadable", `${quote(path)} is a folder, not a file`, { file: path });
}
