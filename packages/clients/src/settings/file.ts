import { randomBytes } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { makeFolder } from "hookwarden/files";

/** Largest settings file, in bytes. */
const largest = 4 * 1_048_576;

/** A settings file as it was read. */
export interface SettingsFile {
  /** Where it really lies: a link stays one, and what it points at is changed. */
  readonly path: string;
  /** Empty where there is none. */
  readonly text: string;
  readonly mode: number | null;
}

/** @throws {HookwardenError} `file-unreadable` */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  const absolute = resolve(path);
  try {
    const real = await realpath(absolute);
    const { mode, size } = await stat(real);
    if (size > largest) throw unreadable(absolute, `it is larger than ${largest} bytes`);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(real));
    return { path: real, text, mode: mode & 0o777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { path: absolute, text: "", mode: null };
    if (error instanceof HookwardenError) throw error;
    throw unreadable(absolute, "it cannot be read as UTF-8");
  }
}

/**
 * Puts a new text in the place of a settings file, atomically: a reader finds the old one or the new.
 *
 * @throws {HookwardenError} `file-unreadable`; also where the file has been changed since it was read.
 */
export async function writeSettingsFile(file: SettingsFile, text: string, mode?: number): Promise<void> {
  const temporary = `${file.path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    makeFolder(dirname(file.path));
    const handle = await open(temporary, "wx", file.mode ?? mode ?? 0o600);
    try {
      await handle.writeFile(text);
      if (file.mode !== null) await handle.chmod(file.mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    const now = await readSettingsFile(file.path);
    if (now.text !== file.text || (now.mode === null) !== (file.mode === null)) {
      throw unreadable(file.path, "somebody else has changed it meanwhile");
    }
    await rename(temporary, file.path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    if (error instanceof HookwardenError) throw error;
    throw unreadable(
      file.path,
      `it cannot be written (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`,
    );
  }
}

function unreadable(path: string, why: string): HookwardenError {
  return new HookwardenError("file-unreadable", `${quote(path)}: ${why}`, { file: path });
}
