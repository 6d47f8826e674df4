import { join } from "node:path";
import { SqliteStateStore } from "hookwarden/state";
import type { Stores } from "../storage.ts";
import { SqliteAuditStore } from "./audit.ts";
import { SqliteApprovalStore } from "./approvals.ts";
import { Database } from "./database.ts";
import { SqliteKeyStore } from "./keys.ts";
import { serverMigrations } from "./migrations.ts";
import { SqlitePackStore } from "./packs.ts";
import { SqliteQuarantineStore, SqliteTenantStore } from "./tenants.ts";

export interface SqliteStoresOptions {
  /** The folder; it is made where it is absent, for its owner only. */
  readonly folder: string;
  /** Most bytes of state for a tenant. Default 64 MiB. */
  readonly stateBytes?: number | ((tenant: string) => number);
}

/**
 * Opens the embedded stores: `server.db` (packs, keys, tenants, quarantine, approvals), `audit.db` and `state.db` in one folder.
 * Only one server may use a folder; its own threads and readers may.
 *
 * @throws {HookwardenError} `storage-failed`
 */
export function openSqliteStores({ folder, stateBytes }: SqliteStoresOptions): Stores {
  const database = Database.open(folder, "server.db", serverMigrations);
  const audit = new SqliteAuditStore(folder);
  const state = new SqliteStateStore({
    path: join(folder, "state.db"),
    ...(stateBytes === undefined ? {} : { maxBytesPerTenant: stateBytes }),
  });
  return {
    packs: new SqlitePackStore(database),
    keys: new SqliteKeyStore(database),
    tenants: new SqliteTenantStore(database),
    quarantine: new SqliteQuarantineStore(database),
    approvals: new SqliteApprovalStore(database),
    audit,
    state,
    async [Symbol.asyncDispose]() {
      await audit[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
      database.close();
    },
  };
}
