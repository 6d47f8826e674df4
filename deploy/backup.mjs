/**
 * Copies the data of a server that may be running: node deploy/backup.mjs DATA TARGET
 *
 * Each database is copied as of one moment. The audit is copied before the packs, so that every pack that a copied
 * record names is in the copy. TARGET must not exist.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";

const [data, target] = process.argv.slice(2);
if (data === undefined || target === undefined) {
  console.error("usage: node backup.mjs DATA TARGET");
  process.exit(64);
}
mkdirSync(target, { mode: 0o700 });
for (const file of ["state.db", "audit.db", "server.db"]) {
  const source = new DatabaseSync(join(data, file), { readOnly: true });
  const pages = await backup(source, join(target, file));
  source.close();
  console.log(`${file}: ${pages} pages`);
}
