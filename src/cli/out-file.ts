import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { quote } from "@hookwarden/sandbox/json";
import { fileError, HookwardenError } from "../errors/index.ts";

/**
 * Writes a file that an option names, atomically: a reader finds the old content or the new.
 *
 * @throws {HookwardenError} `file-unwritable`
 */
export async function writeOut(path: string, content: Uint8Array | string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = await open(temporary, "wx", 0o644);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fileError(path, error, "write");
  }
}

/**
 * Writes a secret to a new file that only its owner can read. Never overwrites: the old secret may be the only one.
 *
 * @throws {HookwardenError} `file-exists`, `file-unwritable`
 */
export async function writeSecret(path: string, content: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new HookwardenError("file-exists", `${quote(path)} already exists`, { file: path });
    }
    throw fileError(path, error, "write");
  }
}
