import { type ApprovalAnswer, type ApprovalRecord, answered } from "../approvals/approval.ts";
import type { ApprovalStore } from "../storage.ts";
import type { Database } from "./database.ts";

interface Row {
  readonly record: string;
}

/** Approvals in a SQLite file. */
export class SqliteApprovalStore implements ApprovalStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  add(record: ApprovalRecord): void {
    this.#database.run(
      "INSERT INTO approval (tenant, id, state, created, record) VALUES (?, ?, ?, ?, ?)",
      record.tenant,
      record.id,
      record.state,
      record.created,
      JSON.stringify(record),
    );
  }

  get(tenant: string, id: string): ApprovalRecord | null {
    const sql = "SELECT record FROM approval WHERE tenant = ? AND id = ?";
    const row = this.#database.get<Row>(sql, tenant, id);
    return row ? recordOf(row) : null;
  }

  list(
    tenant: string | null,
    { state, limit }: { readonly state?: ApprovalRecord["state"]; readonly limit: number },
  ): ApprovalRecord[] {
    const sql =
      "SELECT record FROM approval WHERE (?1 IS NULL OR tenant = ?1) AND (?2 IS NULL OR state = ?2) ORDER BY created DESC, id LIMIT ?3";
    return this.#database.all<Row>(sql, tenant, state ?? null, limit).map(recordOf);
  }

  close(tenant: string, id: string, answer: ApprovalAnswer): ApprovalRecord | null {
    return this.#database.transaction(() => {
      const record = this.get(tenant, id);
      const closed = record && answered(record, answer);
      if (!closed) return null;
      const sql = "UPDATE approval SET state = ?, record = ? WHERE tenant = ? AND id = ?";
      this.#database.run(sql, closed.state, JSON.stringify(closed), tenant, id);
      return closed;
    });
  }

  prune(before: string): number {
    return this.#database.run("DELETE FROM approval WHERE state <> 'pending' AND created < ?", before);
  }
}

function recordOf({ record }: Row): ApprovalRecord {
  return JSON.parse(record) as ApprovalRecord;
}
