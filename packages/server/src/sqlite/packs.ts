import { sha256 } from "hookwarden/files";
import type { NewRevision, PackRevision, PackStore, RolloutChange, RolloutStep } from "../storage.ts";
import type { Rollout } from "../rollout.ts";
import type { Database } from "./database.ts";

interface RolloutRow {
  tenant: string;
  generation: number;
  active: number | null;
  candidate: number | null;
  percent: number | null;
}

const columns = "tenant, revision, pack, bundle, name, version, signed_by, hooks, created, created_by";

/**
 * Packs in a SQLite file. The same bytes are stored once for all tenants. They are found by their own digest, and
 * not by that of the content: another tenant's file with the same content may lack the signature.
 */
export class SqlitePackStore implements PackStore {
  readonly #database: Database;
  readonly #listeners = new Set<(rollout: Rollout) => void>();

  constructor(database: Database) {
    this.#database = database;
  }

  put(revision: NewRevision, bundle: Uint8Array): PackRevision {
    const db = this.#database;
    return db.transaction(() => {
      const { tenant, pack, name, version, signedBy, hooks, createdBy } = revision;
      const last = db.get<{ last: number | null }>(
        "SELECT max(revision) AS last FROM revision WHERE tenant = ?",
        tenant,
      );
      const made = { ...revision, revision: (last?.last ?? 0) + 1, created: new Date().toISOString() };
      const file = sha256(bundle);
      db.run("INSERT OR IGNORE INTO bundle VALUES (?, ?)", file, bundle);
      db.run(
        `INSERT INTO revision (${columns}, file) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        tenant,
        made.revision,
        pack,
        revision.bundle,
        name,
        version,
        signedBy,
        hooks,
        made.created,
        createdBy,
        file,
      );
      return made;
    });
  }

  get(tenant: string, revision: number): PackRevision | null {
    const sql = `SELECT ${columns} FROM revision WHERE tenant = ? AND revision = ?`;
    const row = this.#database.get<RevisionRow>(sql, tenant, revision);
    return row ? revisionOf(row) : null;
  }

  bundle(tenant: string, revision: number): Uint8Array | null {
    const row = this.#database.get<{ bytes: Uint8Array }>(
      "SELECT bytes FROM bundle JOIN revision ON revision.file = bundle.digest WHERE tenant = ? AND revision = ?",
      tenant,
      revision,
    );
    return row?.bytes ?? null;
  }

  list(tenant: string, limit: number): PackRevision[] {
    const sql = `SELECT ${columns} FROM revision WHERE tenant = ? ORDER BY revision DESC LIMIT ?`;
    return this.#database.all<RevisionRow>(sql, tenant, limit).map(revisionOf);
  }

  rollout(tenant: string): Rollout {
    const row = this.#database.get<RolloutRow>("SELECT * FROM rollout WHERE tenant = ?", tenant);
    return row ? rolloutOf(row) : { tenant, generation: 0, active: null, candidate: null };
  }

  change(tenant: string, step: RolloutStep): Rollout | null {
    const db = this.#database;
    const rollout = db.transaction((): Rollout | null => {
      const before = this.rollout(tenant);
      if (step.expected !== undefined && step.expected !== before.generation) return null;
      const { active, candidate } = step;
      const after: Rollout = { tenant, generation: before.generation + 1, active, candidate };
      const values = [after.generation, active, candidate?.revision ?? null, candidate?.percent ?? null];
      db.run("INSERT OR REPLACE INTO rollout VALUES (?, ?, ?, ?, ?)", tenant, ...values);
      db.run(
        "INSERT INTO rollout_change VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        tenant,
        ...values,
        step.what,
        new Date().toISOString(),
        step.by,
      );
      return after;
    });
    if (rollout) for (const listener of this.#listeners) listener(rollout);
    return rollout;
  }

  history(tenant: string, limit: number): RolloutChange[] {
    const sql = "SELECT * FROM rollout_change WHERE tenant = ? ORDER BY generation DESC LIMIT ?";
    const rows = this.#database.all<
      RolloutRow & { what: RolloutChange["what"]; at: string; made_by: string }
    >(sql, tenant, limit);
    return rows.map((row) => ({ ...rolloutOf(row), what: row.what, at: row.at, by: row.made_by }));
  }

  watch(listener: (rollout: Rollout) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

interface RevisionRow {
  tenant: string;
  revision: number;
  pack: string;
  bundle: string;
  name: string;
  version: string;
  signed_by: string | null;
  hooks: number;
  created: string;
  created_by: string;
}

function revisionOf({ signed_by, created_by, ...rest }: RevisionRow): PackRevision {
  return { ...rest, signedBy: signed_by, createdBy: created_by };
}

function rolloutOf({ tenant, generation, active, candidate, percent }: RolloutRow): Rollout {
  return {
    tenant,
    generation,
    active,
    candidate: candidate === null ? null : { revision: candidate, percent: percent ?? 100 },
  };
}
