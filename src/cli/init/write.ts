import { lstat, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { quote } from "@hookwarden/sandbox/json";
import { fileError, HookwardenError } from "../../errors/index.ts";
import { makeFolder } from "../../files/index.ts";

/**
 * Writes files that are not there yet. Where one is, nothing is written.
 *
 * @throws {HookwardenError} `file-exists`, `file-unwritable`
 */
export async function writeNew(files: ReadonlyMap<string, string>): Promise<void> {
  for (const path of files.keys()) if (await exists(path)) throw taken(path);
  for (const [path, text] of files) {
    try {
      makeFolder(dirname(path));
      await writeFile(path, text, { flag: "wx" });
    } catch (error) {
      throw codeOf(error) === "EEXIST" ? taken(path) : fileError(path, error, "write");
    }
  }
}

/** Whether anything stands at a path. */
export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/**
 * Adds an item to the end of a list at the top of a JSON file, and leaves all else in it as it was.
 *
 * @throws {HookwardenError} `file-unwritable`
 */
export async function appendToList(path: string, key: string, item: unknown): Promise<void> {
  const next = `${path}.new`;
  try {
    const text = await readFile(path, "utf8");
    const formattingOptions = { insertSpaces: !/^\t/m.test(text), tabSize: /^ {4}"/m.test(text) ? 4 : 2 };
    const edits = modify(text, [key, -1], item, { formattingOptions, isArrayInsertion: true });
    await writeFile(next, applyEdits(text, edits), { flag: "wx" });
    // Atomic: no reader sees half a manifest.
    await rename(next, path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") await rm(next, { force: true });
    throw codeOf(error) === "EEXIST" ? taken(next) : fileError(path, error, "write");
  }
}

function taken(path: string): HookwardenError {
  return new HookwardenError("file-exists", `${quote(path)} already exists`, { file: path });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
