import { HookwardenError } from "../errors/index.ts";
import { seal } from "./line.ts";
import type { Sink } from "./sink.ts";

/** Most records and characters of one write. */
const batchRecords = 1_000;
const batchChars = 1_048_576;
/** Shortest and longest pause before a failed write is tried again, in milliseconds. */
const minRetryDelayMs = 50;
const maxRetryDelayMs = 5_000;

/** The last record of a log. */
export interface LogHead {
  /** How many records there are up to it, itself included. */
  readonly records: number;
  readonly hash: string;
}

/** When a writer flushes, and who learns of failures. */
export interface WriterPolicy {
  readonly flushEach: boolean;
  readonly everyMs: number;
  readonly everyRecords: number;
  /** Whether those who wait for a record learn of a failure; otherwise they wait until it is mended. */
  readonly closed: boolean;
}

/** Where a log goes on. */
export interface ChainState {
  readonly head: LogHead;
  /** The last sequence number of each tenant. */
  readonly sequences: Map<string, number>;
}

interface Waiter {
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

interface Pending {
  readonly body: string;
  readonly tenant: string | undefined;
  waiter: Waiter | null;
}

/**
 * Numbers, chains and writes records in the order in which they are pushed. What cannot be written is kept and tried
 * again for as long as the writer is open.
 */
export class LogWriter {
  /** Called when the destination fails (with the error), and when it works again (`null`). */
  onState: (error: Error | null) => void = () => undefined;
  /** Called when records have left the queue. */
  onDrain: () => void = () => undefined;
  /** Records and characters that are not written yet. */
  queued = 0;
  queuedChars = 0;
  failure: Error | null = null;
  #head: LogHead;
  readonly #sequences: Map<string, number>;
  readonly #sink: Sink;
  readonly #policy: WriterPolicy;
  #queue: Pending[] = [];
  readonly #flushers: Waiter[] = [];
  #running = false;
  #unflushed = 0;
  #timer: NodeJS.Timeout | null = null;
  #wake: () => void = () => undefined;
  #abandoned = false;

  constructor(sink: Sink, chain: ChainState, policy: WriterPolicy) {
    this.#sink = sink;
    this.#policy = policy;
    this.#head = chain.head;
    this.#sequences = chain.sequences;
  }

  /** The last record that has been written. */
  get written(): LogHead {
    return this.#head;
  }

  /** Takes a record. The promise of `pushed` settles when it is written, and flushed where each one is. */
  push(body: string, tenant?: string): void {
    this.#add(body, tenant, null);
  }

  pushed(body: string, tenant?: string): Promise<void> {
    return new Promise((done, failed) => this.#add(body, tenant, { done, failed }));
  }

  /** Writes and flushes what has been pushed; rejects where that fails now. */
  flush(): Promise<void> {
    if (!this.#running && this.#unflushed === 0) return Promise.resolve();
    return new Promise((done, failed) => {
      this.#flushers.push({ done, failed });
      this.#wake();
      this.#start();
    });
  }

  /** Writes, flushes and closes. What cannot be written by then is given up, and the promise rejects. */
  async close(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    try {
      await this.flush();
    } finally {
      this.#abandoned = true;
      this.#wake();
      await this.#sink.close();
    }
  }

  #add(body: string, tenant: string | undefined, waiter: Waiter | null): void {
    this.#queue.push({ body, tenant, waiter });
    this.queued++;
    this.queuedChars += body.length;
    this.#start();
  }

  #start(): void {
    if (this.#running || this.#abandoned) return;
    this.#running = true;
    // What is pushed in the same turn goes into one write.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (;;) {
      const batch = this.#takeBatch();
      if (batch.length > 0 && !(await this.#writeBatch(batch))) return;
      if (this.#queue.length > 0) continue;
      if (this.#flushers.length === 0) break;
      if (this.#unflushed > 0 && !(await this.#insist(() => this.#sync()))) return;
      if (this.#queue.length > 0) continue;
      for (const { done } of this.#flushers.splice(0)) done();
    }
    this.#running = false;
    if (this.#unflushed > 0) this.#flushLater();
  }

  #takeBatch(): Pending[] {
    let chars = 0;
    let count = 0;
    while (count < this.#queue.length && count < batchRecords && chars < batchChars) {
      chars += (this.#queue[count++] as Pending).body.length;
    }
    return this.#queue.splice(0, count);
  }

  async #writeBatch(batch: readonly Pending[]): Promise<boolean> {
    let head = this.#head;
    const lines = batch.map(({ body, tenant }) => {
      const seq = tenant === undefined ? undefined : (this.#sequences.get(tenant) ?? 0) + 1;
      if (tenant !== undefined) this.#sequences.set(tenant, seq as number);
      const n = head.records + 1;
      const whose = tenant === undefined ? {} : { tenant, seq: seq as number };
      const { line, hash } = seal(body, { n, ...whose, prev: head.hash });
      head = { records: n, hash };
      return `${line}\n`;
    });
    let begun = false;
    const written = await this.#insist(() => {
      const step = begun ? this.#sink.resume() : this.#sink.write(lines);
      begun = true;
      return step;
    }, batch);
    if (!written) return false;
    this.#head = head;
    this.#unflushed += batch.length;
    const { flushEach, everyRecords } = this.#policy;
    if (flushEach || this.#unflushed >= everyRecords) {
      if (!(await this.#insist(() => this.#sync(), batch))) return false;
    }
    for (const { waiter } of batch) waiter?.done();
    this.queued -= batch.length;
    this.queuedChars -= batch.reduce((sum, { body }) => sum + body.length, 0);
    this.onDrain();
    return true;
  }

  async #sync(): Promise<void> {
    const count = this.#unflushed;
    await this.#sink.sync();
    this.#unflushed -= count;
  }

  /** Does a step until it succeeds; `false` where the writer was closed before. */
  async #insist(step: () => Promise<void>, batch: readonly Pending[] = []): Promise<boolean> {
    for (let pauseMs = minRetryDelayMs; ; pauseMs = Math.min(2 * pauseMs, maxRetryDelayMs)) {
      try {
        await step();
        if (this.failure) this.onState(null);
        this.failure = null;
        return true;
      } catch (error) {
        this.#fail(error as Error, batch);
      }
      if (this.#abandoned) return false;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, pauseMs).unref();
        this.#wake = () => {
          clearTimeout(timer);
          done();
        };
      });
      this.#wake = () => undefined;
      if (this.#abandoned) return false;
    }
  }

  #fail(error: Error, batch: readonly Pending[]): void {
    if (!this.failure) this.onState(error);
    this.failure = error;
    const failure = new HookwardenError(
      "log-failed",
      `the decision log cannot be written: ${error.message}`,
      {},
      { cause: error },
    );
    for (const { failed } of this.#flushers.splice(0)) failed(failure);
    if (!this.#policy.closed) return;
    for (const pending of [...batch, ...this.#queue]) {
      pending.waiter?.failed(failure);
      pending.waiter = null;
    }
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // Failures are reported through `onState`.
      this.flush().catch(() => undefined);
    }, this.#policy.everyMs).unref();
  }
}
