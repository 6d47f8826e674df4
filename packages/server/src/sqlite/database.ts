import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "hookwarden/errors";
import { makeFolder } from "hookwarden/files";

// Not imported: an old Node.js would fail at the import, before it can say that it is too old.
const { DatabaseSync: Sqlite } = process.getBuiltinModule("node:sqlite");

/** A SQLite file with its statements prepared once. */
export class Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Opens a file in a folder, makes it where it is absent, and brings it to the newest form: each migration runs once,
   * in a transaction, and the file remembers how many have run.
   *
   * Commits are flushed to the disk before they return (WAL with `synchronous = FULL`).
   *
   * @throws {HookwardenError} `storage-failed`, also for a file that a newer version has written.
   */
  static open(folder: string, file: string, migrations: readonly string[]): Database {
    const path = join(folder, file);
    let database: DatabaseSync | undefined;
    try {
      makeFolder(folder, 0o700);
      // SQLite would make the file readable for everybody.
      closeSync(openSync(path, "a", 0o600));
      database = new Sqlite(path, { timeout: 5_000 });
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
      migrate(database, migrations);
      return new Database(database);
    } catch (error) {
      database?.close();
      const why = error instanceof HookwardenError ? error.message : `cannot be opened: ${reasonOf(error)}`;
      throw new HookwardenError("storage-failed", `${quote(file)} ${why}`, { file: path }, { cause: error });
    }
  }

  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** @returns how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Runs work in a transaction, which an exception undoes. */
  transaction<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    let result: T;
    try {
      result = work();
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
    this.#database.exec("COMMIT");
    return result;
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  const version = (): number => Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version() > migrations.length) {
    throw new HookwardenError("storage-failed", "was written by a newer version");
  }
  // The lock is taken before the version is read: another process may be migrating.
  for (let done = false; !done;) {
    database.exec("BEGIN IMMEDIATE");
    try {
      const next = version();
      done = next >= migrations.length;
      if (!done) database.exec(`${migrations[next]}; PRAGMA user_version = ${next + 1};`);
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }
}

function reasonOf(error: unknown): string {
  return (
    (error as { code?: string; errstr?: string }).errstr ?? (error as { code?: string }).code ?? "unknown"
  );
}
