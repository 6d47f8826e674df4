import type { KeyRecord, KeyStore, Scope } from "../storage.ts";
import type { Database } from "./database.ts";

/** Credentials in a SQLite file: digests only. */
export class SqliteKeyStore implements KeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(id: string): KeyRecord | null {
    const row = this.#database.get<KeyRow>("SELECT * FROM api_key WHERE id = ?", id);
    return row ? keyOf(row) : null;
  }

  add({ id, digest, tenant, name, scopes, created, expires, revoked }: KeyRecord): void {
    this.#database.run(
      "INSERT INTO api_key VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      id,
      digest,
      tenant,
      name,
      scopes.join(" "),
      created,
      expires,
      revoked,
    );
  }

  revoke(id: string, at: string): boolean {
    return this.#database.run("UPDATE api_key SET revoked = coalesce(revoked, ?) WHERE id = ?", at, id) > 0;
  }

  list(tenant: string | null): KeyRecord[] {
    const sql = "SELECT * FROM api_key WHERE tenant IS ? ORDER BY created, id";
    return this.#database.all<KeyRow>(sql, tenant).map(keyOf);
  }
}

type KeyRow = Omit<KeyRecord, "scopes"> & { readonly scopes: string };

function keyOf(row: KeyRow): KeyRecord {
  return { ...row, scopes: row.scopes.split(" ").filter(Boolean) as Scope[] };
}
