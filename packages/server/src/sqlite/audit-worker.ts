/**
 * The thread that writes the audit: a flush to the disk takes milliseconds, in which the server answers others. All
 * that has come while one transaction was being flushed goes into the next one.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { type AuditAppend, storeAppends } from "./audit-file.ts";
import { Database } from "./database.ts";
import { auditMigrations } from "./migrations.ts";

/** What the thread is asked for. */
export type AuditTask =
  | { readonly id: number; readonly append: AuditAppend }
  | { readonly id: number; readonly prune: { readonly tenant: string; readonly before: number } }
  | { readonly id: number; readonly close: true };

/** What it answers: one for each task. */
export interface AuditDone {
  readonly id: number;
  readonly error: string | null;
  readonly count: number;
}

const port = parentPort!;
const { folder } = workerData as { folder: string };
const database = Database.open(folder, "audit.db", auditMigrations);

/** Most tasks in one transaction. */
const most = 2_000;

port.on("message", (first: AuditTask[]) => {
  const tasks = [...first];
  while (tasks.length < most) {
    const next = receiveMessageOnPort(port);
    if (!next) break;
    tasks.push(...(next.message as AuditTask[]));
  }
  port.postMessage(work(tasks));
  if (tasks.some((task) => "close" in task)) {
    database.close();
    port.close();
  }
});

function work(tasks: readonly AuditTask[]): AuditDone[] {
  const appends = tasks.filter((task) => "append" in task);
  const done = storeAll(appends);
  for (const task of tasks) {
    if ("prune" in task) done.push(attempt(task.id, () => prune(task.prune)));
    else if ("close" in task) done.push({ id: task.id, error: null, count: 0 });
  }
  return done;
}

function storeAll(appends: readonly { readonly id: number; readonly append: AuditAppend }[]): AuditDone[] {
  if (appends.length === 0) return [];
  const together = attempt(0, () => {
    storeAppends(
      database,
      appends.map(({ append }) => append),
    );
    return 0;
  });
  if (together.error === null || appends.length === 1) return appends.map(({ id }) => ({ ...together, id }));
  // One that cannot be stored must not keep the others from it.
  return appends.map(({ id, append }) =>
    attempt(id, () => {
      storeAppends(database, [append]);
      return 0;
    }),
  );
}

function prune({ tenant, before }: { readonly tenant: string; readonly before: number }): number {
  return database.run(
    "DELETE FROM record WHERE at < ? AND EXISTS (SELECT 1 FROM chain WHERE chain.id = record.chain AND chain.tenant = ? AND record.n < chain.n)",
    before,
    tenant,
  );
}

function attempt(id: number, task: () => number): AuditDone {
  try {
    return { id, error: null, count: task() };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error), count: 0 };
  }
}
