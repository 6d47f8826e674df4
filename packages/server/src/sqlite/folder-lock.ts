import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { makeFolder } from "hookwarden/files";

// Not imported: an old Node.js would fail at the import, before it can say that it is too old.
const { DatabaseSync: Sqlite } = process.getBuiltinModule("node:sqlite");

/** How long another server may take to let go of the folder, in milliseconds: it may be ending just now. */
const waitMs = 1_000;

/**
 * Takes a folder for one server: two in one folder would each write on where the other has ended in the audit.
 *
 * It is a lock of SQLite on a file of its own, which the system takes back from a process that ends in whatever way.
 *
 * @throws {HookwardenError} `storage-failed` where another server has it.
 */
export function lockFolder(folder: string): Disposable {
  const path = join(folder, "server.lock");
  let database: DatabaseSync | undefined;
  try {
    makeFolder(folder, 0o700);
    // SQLite would make the file readable for everybody.
    closeSync(openSync(path, "a", 0o600));
    database = new Sqlite(path, { timeout: waitMs });
    database.exec("BEGIN EXCLUSIVE");
    const held = database;
    return { [Symbol.dispose]: () => held.close() };
  } catch (cause) {
    database?.close();
    const { errcode, code = "unknown error" } = cause as { errcode?: number; code?: string };
    const why = errcode === busy ? "is used by another server" : `cannot be used (${code})`;
    throw new HookwardenError("storage-failed", `${quote(folder)} ${why}`, { file: path }, { cause });
  }
}

/** SQLITE_BUSY. */
const busy = 5;
