import { closeSync, openSync } from "node:fs";

// Not imported: an old Node.js would fail at the import, before it can say that it is too old.
const { DatabaseSync: Sqlite } = process.getBuiltinModule("node:sqlite");

/**
 * Takes the lock of a daemon for as long as this process lives. The system gives it back when the process is gone,
 * however it ended, so that a lock is never stale; a file that only lies there cannot do that.
 *
 * @returns `null` where another process holds it.
 */
export function takeLock(path: string): { release(): void } | null {
  closeSync(openSync(path, "a", 0o600));
  const database = new Sqlite(path, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch {
    database.close();
    return null;
  }
  return { release: () => database.close() };
}
