import type { AuditChain, AuditHead, AuditRange, AuditRecord, AuditStore } from "../storage.ts";
import { type AuditBatch, AuditSpool, type AuditSpoolOptions } from "./audit-spool.ts";
import { AuditStream } from "./audit-stream.ts";
import type { NatsLink } from "./link.ts";
import type { FleetNames } from "./names.ts";

export interface NatsAuditOptions {
  readonly names: FleetNames;
  readonly spool: AuditSpoolOptions;
  readonly replicas?: number;
}

/** What is known of a chain that this node writes. */
interface Chain {
  /** Batches of it that lie in the spool. */
  spooled: number;
  /** Where it stands, with what is spooled; `null` while that is not known. */
  head: AuditHead | null;
  /** Whether an append has failed, so that the stream may or may not have it. */
  uncertain: boolean;
  /** The append that runs: one after another, in order. */
  last: Promise<unknown>;
}

/**
 * The audit of a fleet in a JetStream stream. While NATS does not answer, records are made durable on this node's disk,
 * and are handed on in order when it is back.
 *
 * No record is lost: an append has resolved only when the stream or the disk has it. None is there twice: each chain has
 * one writer and numbered records, and what is handed on later is first held against where the chain stands in the
 * stream, however long that took; ids of messages keep what is sent twice in a moment from counting twice.
 */
export class NatsAuditStore implements AuditStore {
  readonly #link: NatsLink;
  readonly #stream: AuditStream;
  readonly #spool: AuditSpool;
  readonly #chainsHere = new Map<string, Chain>();
  /** Names that chains are written under instead, because where they stand could not be found out. */
  readonly #others = new Map<string, AuditChain>();
  #draining: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;
  #closed = false;

  private constructor(link: NatsLink, options: NatsAuditOptions) {
    this.#link = link;
    this.#stream = new AuditStream(link, options.names, options.replicas);
    this.#spool = new AuditSpool(options.spool);
    this.#unlisten = link.listen((connected) => void (connected && this.#drain()));
    this.#timer = setInterval(() => void (this.#spool.bytes > 0 && this.#drain()), 1_000);
    this.#timer.unref();
  }

  /** Takes over what an earlier process has left in the spool. */
  static async open(link: NatsLink, options: NatsAuditOptions): Promise<NatsAuditStore> {
    const store = new NatsAuditStore(link, options);
    await store.#spool.recover((batch) => store.#noteSpooled(batch));
    void store.#drain();
    return store;
  }

  /** Bytes that wait for NATS. */
  get spooledBytes(): number {
    return this.#spool.bytes;
  }

  /**
   * Where a chain stands. A node that comes up while NATS is away cannot know, and begins another chain, under its own
   * name and the time: two chains that are whole are better than one that is broken.
   */
  async head(of: AuditChain): Promise<AuditHead | null> {
    const chain = this.#written(of);
    const { head } = this.#here(chain);
    if (head) return head;
    try {
      return await this.#stream.head(chain);
    } catch {
      const other = { tenant: of.tenant, node: `${of.node}~${Date.now().toString(36)}` };
      this.#others.set(nameOf(of), other);
      return null;
    }
  }

  append(of: AuditChain, records: readonly AuditRecord[], head: AuditHead): Promise<void> {
    const chain = this.#written(of);
    const here = this.#here(chain);
    const done = here.last.then(() => this.#appendNow(here, { chain, records, head }));
    here.last = done.catch(() => undefined);
    return done;
  }

  async *read(
    chain: AuditChain,
    { after = 0, limit = Infinity }: AuditRange = {},
  ): AsyncIterable<AuditRecord> {
    let left = limit;
    if (left <= 0) return;
    let last = after;
    for await (const record of this.#stream.read(chain)) {
      if (record.n <= last) continue;
      last = record.n;
      yield record;
      if (--left <= 0) return;
    }
  }

  chains(tenant?: string): Promise<AuditChain[]> {
    return this.#stream.chains(tenant);
  }

  async prune(tenant: string, before: number): Promise<number> {
    let removed = 0;
    for (const chain of await this.#stream.chains(tenant)) removed += await this.#stream.prune(chain, before);
    return removed;
  }

  /** Hands on what can be, and leaves the rest on the disk. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unlisten();
    await Promise.all([...this.#chainsHere.values()].map(({ last }) => last));
    if (this.#link.connected && this.#spool.bytes > 0) await this.#drain();
    this.#closed = true;
    await this.#draining;
    await this.#spool.close();
  }

  async #appendNow(here: Chain, batch: AuditBatch): Promise<void> {
    if (here.spooled === 0 && this.#link.connected) {
      try {
        const rest = here.uncertain ? await this.#missing(batch) : batch;
        if (rest) await this.#stream.publish(rest);
        here.head = batch.head;
        here.uncertain = false;
        return;
      } catch {
        // Whether the stream has it is not known; the spool finds out.
      }
    }
    try {
      await this.#spool.add(batch);
    } catch (error) {
      here.uncertain = true;
      throw error;
    }
    this.#noteSpooled(batch);
    void this.#drain();
  }

  /** What of a batch the stream does not have; `null` where it has all. */
  async #missing(batch: AuditBatch): Promise<AuditBatch | null> {
    const n = (await this.#stream.head(batch.chain))?.n ?? 0;
    if (batch.head.n <= n) return null;
    return { ...batch, records: batch.records.filter((record) => record.n > n) };
  }

  #noteSpooled({ chain, head }: AuditBatch): void {
    const here = this.#here(chain);
    here.spooled++;
    here.head = head;
  }

  /** Hands on what lies in the spool, oldest first. */
  #drain(): Promise<void> {
    this.#draining ??= this.#drainAll()
      // NATS has gone away again, or the disk has: it is tried again with the next change or tick.
      .catch(() => undefined)
      .finally(() => (this.#draining = null));
    return this.#draining;
  }

  async #drainAll(): Promise<void> {
    while (!this.#closed && this.#link.connected) {
      const file = await this.#spool.oldest();
      if (!file) return;
      const heads = new Map<string, number>();
      for (const batch of file.batches) {
        const name = nameOf(batch.chain);
        if (!heads.has(name)) heads.set(name, (await this.#stream.head(batch.chain))?.n ?? 0);
        const known = heads.get(name) as number;
        const records = batch.records.filter(({ n }) => n > known);
        if (records.length > 0) await this.#stream.publish({ ...batch, records });
        heads.set(name, Math.max(known, batch.head.n));
      }
      await file.done();
      // Of a write that failed there may be more on the disk than was counted.
      for (const { chain } of file.batches) {
        const here = this.#here(chain);
        here.spooled = Math.max(0, here.spooled - 1);
      }
    }
  }

  #written(chain: AuditChain): AuditChain {
    return this.#others.get(nameOf(chain)) ?? chain;
  }

  #here(chain: AuditChain): Chain {
    const name = nameOf(chain);
    let here = this.#chainsHere.get(name);
    if (!here) {
      here = { spooled: 0, head: null, uncertain: false, last: Promise.resolve() };
      this.#chainsHere.set(name, here);
    }
    return here;
  }
}

function nameOf({ tenant, node }: AuditChain): string {
  return JSON.stringify([tenant, node]);
}
