import type { DegradedWindow } from "../degraded.ts";
import type { KeptQuarantine, QuarantineStore, TenantStore } from "../storage.ts";
import type { TenantLimits, TenantRecord } from "../tenants.ts";
import type { Database } from "./database.ts";

/** Tenants in a SQLite file. */
export class SqliteTenantStore implements TenantStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(tenant: string): TenantRecord | null {
    const row = this.#database.get<TenantRow>("SELECT * FROM tenant WHERE tenant = ?", tenant);
    return row ? tenantOf(row) : null;
  }

  list(): TenantRecord[] {
    return this.#database.all<TenantRow>("SELECT * FROM tenant ORDER BY tenant").map(tenantOf);
  }

  put({ tenant, created, disabled, limits, signedOnly, degraded = null }: TenantRecord): void {
    this.#database.run(
      "INSERT OR REPLACE INTO tenant (tenant, created, disabled, signed_only, limits, degraded) VALUES (?, ?, ?, ?, ?, ?)",
      tenant,
      created,
      Number(disabled),
      Number(signedOnly),
      JSON.stringify(limits),
      JSON.stringify(degraded),
    );
  }

  remove(tenant: string): boolean {
    return this.#database.run("DELETE FROM tenant WHERE tenant = ?", tenant) > 0;
  }
}

interface TenantRow {
  readonly tenant: string;
  readonly created: string;
  readonly disabled: number;
  readonly signed_only: number;
  readonly limits: string;
  readonly degraded: string;
}

function tenantOf({ tenant, created, disabled, signed_only, limits, degraded }: TenantRow): TenantRecord {
  return {
    tenant,
    created,
    disabled: disabled !== 0,
    limits: JSON.parse(limits) as Partial<TenantLimits>,
    signedOnly: signed_only !== 0,
    degraded: JSON.parse(degraded) as DegradedWindow | null,
  };
}

/** Quarantined hooks in a SQLite file. */
export class SqliteQuarantineStore implements QuarantineStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(): KeptQuarantine[] {
    return this.#database.all<KeptQuarantine>("SELECT * FROM quarantine");
  }

  put({ tenant, program, hook, times, since, until, fault }: KeptQuarantine): void {
    this.#database.run(
      "INSERT OR REPLACE INTO quarantine (tenant, program, hook, times, since, until, fault) VALUES (?, ?, ?, ?, ?, ?, ?)",
      tenant,
      program,
      hook,
      times,
      since,
      until,
      fault,
    );
  }

  remove(tenant: string, program: string): void {
    this.#database.run("DELETE FROM quarantine WHERE tenant = ? AND program = ?", tenant, program);
  }
}
