import { Worker } from "node:worker_threads";
import { HookwardenError } from "hookwarden/errors";
import type { AuditChain, AuditHead, AuditRange, AuditRecord, AuditStore } from "../storage.ts";
import type { AuditDone, AuditTask } from "./audit-worker.ts";
import { auditProgram } from "./audit-program.ts";
import { Database } from "./database.ts";
import { auditMigrations } from "./migrations.ts";

/** Records that are read from the file at once, so that an export does not hold up the server. */
const page = 200;

interface Waiter {
  readonly done: (count: number) => void;
  readonly failed: (error: Error) => void;
}

/** The audit in a SQLite file of its own, which a thread of its own writes. */
export class SqliteAuditStore implements AuditStore {
  readonly #database: Database;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiter>();
  #outbox: AuditTask[] = [];
  #lastId = 0;
  #broken: Error | null = null;

  constructor(folder: string) {
    this.#database = Database.open(folder, "audit.db", auditMigrations);
    // `--import` modules of the process, such as for telemetry, are not for this thread.
    const program = auditProgram();
    this.#worker = new Worker(program, {
      workerData: { folder },
      stdin: false,
      execArgv: program.pathname.endsWith(".ts") ? ["--conditions=hookwarden-source"] : [],
      env: {},
    });
    this.#worker.on("message", (done: readonly AuditDone[]) => this.#settle(done));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the audit's thread has ended")));
    this.#worker.unref();
  }

  head({ tenant, node }: AuditChain): AuditHead | null {
    const row = this.#database.get<Omit<AuditHead, "closed"> & { closed: number }>(
      "SELECT n, hash, seq, log, closed FROM chain WHERE tenant = ? AND node = ? AND n > 0",
      tenant,
      node,
    );
    return row ? { ...row, closed: row.closed !== 0 } : null;
  }

  async append(chain: AuditChain, records: readonly AuditRecord[], head: AuditHead): Promise<void> {
    await this.#ask((id) => ({ id, append: { chain, records, head } }));
  }

  async *read(
    { tenant, node }: AuditChain,
    { after = 0, limit = Infinity }: AuditRange = {},
  ): AsyncGenerator<AuditRecord> {
    let left = limit;
    for (let last = after; left > 0;) {
      const records = this.#database.all<AuditRecord>(
        "SELECT record.n, record.hash, line FROM record JOIN chain ON chain.id = record.chain WHERE tenant = ? AND node = ? AND record.n > ? ORDER BY record.n LIMIT ?",
        tenant,
        node,
        last,
        Math.min(left, page),
      );
      yield* records;
      left -= records.length;
      const end = records.at(-1);
      if (!end || records.length < page) return;
      last = end.n;
    }
  }

  chains(tenant?: string): AuditChain[] {
    return tenant === undefined
      ? this.#database.all<AuditChain>("SELECT tenant, node FROM chain ORDER BY tenant, node")
      : this.#database.all<AuditChain>(
          "SELECT tenant, node FROM chain WHERE tenant = ? ORDER BY node",
          tenant,
        );
  }

  prune(tenant: string, before: number): Promise<number> {
    return this.#ask((id) => ({ id, prune: { tenant, before } }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#broken) {
      await this.#ask((id) => ({ id, close: true }));
      await this.#worker.terminate();
    }
    this.#database.close();
  }

  #ask(task: (id: number) => AuditTask): Promise<number> {
    return new Promise((done, failed) => {
      if (this.#broken) return failed(this.#broken);
      const id = ++this.#lastId;
      this.#waiting.set(id, { done, failed });
      // Keep the process alive while a caller waits for the thread.
      if (this.#waiting.size === 1) this.#worker.ref();
      if (this.#outbox.push(task(id)) === 1) {
        // What comes in the same turn travels together.
        setImmediate(() => {
          const tasks = this.#outbox;
          this.#outbox = [];
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin.
          this.#worker.postMessage(tasks);
        });
      }
    });
  }

  #settle(all: readonly AuditDone[]): void {
    for (const { id, error, count } of all) {
      const waiter = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === null) waiter?.done(count);
      else waiter?.failed(new HookwardenError("storage-failed", `the audit cannot be written: ${error}`));
    }
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #fail(error: Error): void {
    this.#broken ??= new HookwardenError(
      "storage-failed",
      "the audit cannot be written any more",
      {},
      { cause: error },
    );
    for (const { failed } of this.#waiting.values()) failed(this.#broken);
    this.#waiting.clear();
  }
}
