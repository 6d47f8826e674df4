import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { makeFolder } from "hookwarden/files";
import { clients, type ClientName } from "../clients/index.ts";
import type { HookOptions } from "../hook/hook-options.ts";
import type { HookPrograms } from "./command.ts";
import { withHook, withoutHook } from "./edit.ts";
import { hookEntries } from "./entry.ts";
import { readSettingsFile, type SettingsFile, writeSettingsFile } from "./file.ts";
import { isOurFile, ownFileNames, ownFiles } from "./own-files.ts";
import type { Place } from "./places.ts";

/** What becomes of one file. */
export interface FileChange {
  readonly file: SettingsFile;
  /** The new text; `null` deletes the file. */
  readonly after: string | null;
  /** The text before the first installation, if it is known; `null` for no file. */
  readonly original?: string | null;
  readonly mode?: number;
}

/**
 * The changes that install a hook in one place.
 *
 * @param events the client's events that get a hook. Default: all of them.
 * @throws {HookwardenError} `settings-invalid` for a file that cannot be changed without guessing, `file-unreadable`.
 */
export async function planInstall(
  options: HookOptions,
  programs: HookPrograms,
  place: Place,
  events: readonly string[] = Object.keys(clients[options.client].events),
): Promise<FileChange[]> {
  if (place.kind === "file") {
    const file = await readSettingsFile(place.path);
    const entries = hookEntries(options, programs, { events });
    const after = inFile(file.path, () => withHook(file.text, entries, place.layout));
    const record = await readRecord(file.path);
    const original = record?.installed === file.text ? record.original : textOf(file);
    return [{ file, after, original }];
  }
  const changes: FileChange[] = [];
  for (const [name, { text, mode }] of ownFiles(options, programs, events)) {
    const file = await readSettingsFile(join(place.path, name));
    if (file.mode !== null && !isOurFile(file.text)) {
      const message = `${quote(file.path)} is another hook; move it to another folder of hooks first`;
      throw new HookwardenError("settings-invalid", message, { file: file.path });
    }
    changes.push({ file, after: text, mode });
  }
  return changes;
}

/** The changes that take our hooks out of one place. A file that only we have changed becomes what it was. */
export async function planUninstall(client: ClientName, place: Place): Promise<FileChange[]> {
  if (place.kind === "file") {
    const file = await readSettingsFile(place.path);
    const record = await readRecord(file.path);
    const after =
      record?.installed === file.text
        ? record.original
        : inFile(file.path, () => withoutHook(file.text, place.layout));
    return [{ file, after: file.mode === null ? null : after }];
  }
  const changes: FileChange[] = [];
  for (const name of ownFileNames(client)) {
    const file = await readSettingsFile(join(place.path, name));
    if (file.mode !== null && isOurFile(file.text)) changes.push({ file, after: null });
  }
  return changes;
}

export function isChange({ file, after }: FileChange): boolean {
  return after !== textOf(file);
}

/** Writes one change, and keeps the text that an uninstallation brings back. */
export async function applyChange({ file, after, original, mode }: FileChange): Promise<void> {
  if (after === null) await rm(file.path, { force: true });
  else await writeSettingsFile(file, after, mode);
  const record = recordPath(file.path);
  if (original === undefined || after === null) await rm(record, { force: true });
  else {
    makeFolder(dirname(record), 0o700);
    await writeFile(record, JSON.stringify({ path: file.path, installed: after, original }), { mode: 0o600 });
  }
}

interface InstallRecord {
  readonly installed: string;
  readonly original: string | null;
}

function textOf(file: SettingsFile): string | null {
  return file.mode === null ? null : file.text;
}

function recordPath(path: string): string {
  const base = process.env["XDG_STATE_HOME"];
  const state = base?.startsWith("/") ? base : join(homedir(), ".local", "state");
  const name = createHash("sha256").update(path).digest("hex").slice(0, 32);
  return join(state, "hookwarden", "installed", `${name}.json`);
}

/** What the last installation wrote; `null` if that is not known, or not readable. */
async function readRecord(path: string): Promise<InstallRecord | null> {
  try {
    const record = JSON.parse(await readFile(recordPath(path), "utf8")) as Partial<InstallRecord>;
    const { installed, original } = record;
    if (typeof installed !== "string") return null;
    return original === null || typeof original === "string" ? { installed, original } : null;
  } catch {
    return null;
  }
}

function inFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof HookwardenError)) throw error;
    throw new HookwardenError(error.code, error.message, { ...error.place, file });
  }
}
