import type { AuditChain, AuditHead, AuditRecord } from "../storage.ts";
import type { Database } from "./database.ts";

/** Records to be stored at the end of a chain. */
export interface AuditAppend {
  readonly chain: AuditChain;
  readonly records: readonly AuditRecord[];
  readonly head: AuditHead;
}

/** Stores appends in one transaction: one flush for all of them. Throws where one does not follow its chain. */
export function storeAppends(database: Database, appends: readonly AuditAppend[]): void {
  const at = Date.now();
  database.transaction(() => {
    for (const append of appends) storeOne(database, append, at);
  });
}

function storeOne(database: Database, { chain, records, head }: AuditAppend, at: number): void {
  const known = database.get<{ id: number; n: number }>(
    "SELECT id, n FROM chain WHERE tenant = ? AND node = ?",
    chain.tenant,
    chain.node,
  );
  const last = known?.n ?? 0;
  const id = known?.id ?? makeChain(database, chain, head);
  for (const { n, hash, line } of records) {
    if (n <= last) {
      // Offered again after a failure whose end was not seen.
      const stored = database.get<{ hash: string }>(
        "SELECT hash FROM record WHERE chain = ? AND n = ?",
        id,
        n,
      );
      if (stored?.hash !== hash) throw new Error("the chain has gone on without this writer");
      continue;
    }
    database.run(
      "INSERT INTO record (chain, n, hash, line, at) VALUES (?, ?, ?, ?, ?)",
      id,
      n,
      hash,
      line,
      at,
    );
  }
  const first = records[0]?.n ?? head.n + 1;
  if (first > last + 1) throw new Error("the append leaves a gap in the chain");
  if (head.n >= last) {
    database.run(
      "UPDATE chain SET n = ?, hash = ?, seq = ?, log = ?, closed = ? WHERE id = ?",
      head.n,
      head.hash,
      head.seq,
      head.log,
      Number(head.closed),
      id,
    );
  }
}

function makeChain(database: Database, { tenant, node }: AuditChain, { log }: AuditHead): number {
  database.run(
    "INSERT INTO chain (tenant, node, n, hash, seq, log, closed) VALUES (?, ?, 0, '', 0, ?, 0)",
    tenant,
    node,
    log,
  );
  return database.get<{ id: number }>("SELECT last_insert_rowid() AS id")?.id as number;
}
