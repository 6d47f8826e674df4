import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { HookwardenError } from "../errors/index.ts";
import { quote } from "@hookwarden/sandbox/json";
import { type Quota, type QuotaOptions, quotaOf, StateQuotaError } from "./quota.ts";
import type { StateKey, StateRecord, StateStore, StateWrite } from "./store.ts";

// Not imported: an old Node.js would fail at the import, before it can say that it is too old.
const { DatabaseSync: Sqlite } = process.getBuiltinModule("node:sqlite");

export interface SqliteStateOptions extends QuotaOptions {
  /** The file; it is made where it is absent, readable by its owner only. */
  readonly path: string;
  /** How long to wait for another process that writes, in milliseconds. Default 2,000. */
  readonly busyMs?: number;
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS hook_state (
    tenant TEXT NOT NULL,
    hook TEXT NOT NULL,
    scope TEXT NOT NULL,
    session TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, hook, scope, session)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS hook_state_usage (
    tenant TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS hook_state_clock (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
  ) STRICT;
  INSERT OR IGNORE INTO hook_state_clock VALUES (1, 0);
`;

const where = "tenant = ? AND hook = ? AND scope = ? AND session = ?";

/** SQLite's code for a database that another process has locked. */
const busyCode = 5;

/**
 * State in a SQLite file, which several processes of one machine can share. A commit is one transaction that compares
 * versions first, so that no write of another process is lost.
 */
export class SqliteStateStore implements StateStore {
  readonly #database: DatabaseSync;
  readonly #quota: Quota;
  readonly #statements = new Map<string, StatementSync>();

  /** @throws {HookwardenError} `option-invalid` where the file cannot be opened as a database. */
  constructor(options: SqliteStateOptions) {
    this.#quota = quotaOf(options);
    const busyMs = options.busyMs ?? 2_000;
    try {
      // SQLite would create a world-readable file.
      if (options.path !== ":memory:") closeSync(openSync(options.path, "a", 0o600));
      this.#database = new Sqlite(options.path, { timeout: busyMs });
      this.#database.exec(schema);
    } catch (error) {
      throw new HookwardenError(
        "option-invalid",
        `the state file ${quote(options.path)} cannot be opened`,
        {},
        { cause: error },
      );
    }
  }

  read(key: StateKey): StateRecord | null {
    const row = this.#statement(`SELECT value, version FROM hook_state WHERE ${where}`).get(...columns(key));
    return row ? { value: row.value as string, version: row.version as number } : null;
  }

  /**
   * @returns `false` also if another process locked the file for longer than `busyMs`.
   * @throws {StateQuotaError} if a tenant would exceed its quota; nothing is written.
   */
  commit(writes: readonly StateWrite[]): boolean {
    try {
      // Lock before reading: compared versions cannot change before the write.
      this.#database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if ((error as { errcode?: number }).errcode === busyCode) return false;
      throw error;
    }
    let done = false;
    try {
      done = writes.every(({ key, expected }) => (this.read(key)?.version ?? 0) === expected);
      if (done) for (const write of writes) this.#write(write);
      if (done) for (const tenant of new Set(writes.map(({ key }) => key.tenant))) this.#enforceQuota(tenant);
    } catch (error) {
      done = false;
      throw error;
    } finally {
      this.#database.exec(done ? "COMMIT" : "ROLLBACK");
    }
    return done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }

  #write({ key, value }: StateWrite): void {
    const at = columns(key);
    const before = this.#statement(`SELECT bytes FROM hook_state WHERE ${where}`).get(...at)?.bytes ?? 0;
    const bytes = value === null ? 0 : Buffer.byteLength(value) + Buffer.byteLength(at.join(""));
    if (value === null) this.#statement(`DELETE FROM hook_state WHERE ${where}`).run(...at);
    else {
      const clock = this.#statement(
        "UPDATE hook_state_clock SET version = version + 1 RETURNING version",
      ).get();
      this.#statement(
        "INSERT OR REPLACE INTO hook_state (tenant, hook, scope, session, value, version, bytes, written_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      ).run(...at, value, clock?.version as number, bytes, Date.now());
    }
    this.#statement(
      "INSERT INTO hook_state_usage VALUES (?1, ?2) ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + ?2",
    ).run(at[0], bytes - (before as number));
  }

  #enforceQuota(tenant: string): void {
    const name = columnText(tenant);
    const usage = (): number =>
      (this.#statement("SELECT bytes FROM hook_state_usage WHERE tenant = ?").get(name)?.bytes as
        number | undefined) ?? 0;
    const maxBytes = this.#quota.maxBytes(tenant);
    if (usage() <= maxBytes) return;
    const idleSince = Date.now() - this.#quota.sessionIdleMs;
    const idle = "tenant = ? AND scope = 'session' AND written_at < ?";
    const freed = this.#statement(
      `SELECT coalesce(sum(bytes), 0) AS bytes FROM hook_state WHERE ${idle}`,
    ).get(name, idleSince);
    this.#statement(`DELETE FROM hook_state WHERE ${idle}`).run(name, idleSince);
    this.#statement("UPDATE hook_state_usage SET bytes = bytes - ? WHERE tenant = ?").run(
      freed?.bytes as number,
      name,
    );
    if (usage() > maxBytes) throw new StateQuotaError(maxBytes);
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

function columns({ tenant, hook, scope, session }: StateKey): [string, string, string, string] {
  return [columnText(tenant), columnText(hook), scope, columnText(session)];
}

/**
 * UTF-8 has no lone surrogates, so that two different texts with them would become one key. Such texts, and those that
 * could be taken for their escaped form, are stored escaped.
 */
function columnText(text: string): string {
  return text.isWellFormed() && !text.startsWith("\u0001") ? text : `\u0001${JSON.stringify(text)}`;
}
