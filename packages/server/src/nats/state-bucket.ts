import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { JetStreamApiCodes, JetStreamApiError } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsParts } from "./link.ts";
import { decodeEntry, encodeEntry, type StateEntry, transactionKey } from "./state-entry.ts";
import { StateIndex, storedBytes } from "./state-index.ts";

/** The newest word on a key. */
export interface Current {
  /** 0 where the key was never written. */
  readonly revision: number;
  /** `null` where there is none. */
  readonly value: string | null;
}

/** One key to write, and the revision that it must still have; 0 where it must not be there. */
export interface KeyWrite {
  readonly key: string;
  readonly value: string | null;
  readonly expected: number;
}

/** Pauses while somebody else decides a transaction, in milliseconds; then it is aborted for them. */
const patience = [2, 5, 10, 20, 40, 80, 160];

/**
 * Reads and writes of a key-value bucket with compare-and-set. NATS compares one key at a time; several are written by
 * leaving an intent at each, and then making one record that decides for all of them. A writer that finds an intent looks that
 * record up, and makes it as `aborted` where its author is gone: the record can be made once only, so that all agree.
 */
export class StateBucket {
  readonly index: StateIndex;
  readonly #kv: KV;
  readonly #jsm: NatsParts["jsm"];
  readonly #bucket: string;
  readonly #stream: string;

  constructor(kv: KV, jsm: NatsParts["jsm"], bucket: string) {
    this.#kv = kv;
    this.#jsm = jsm;
    this.#bucket = bucket;
    this.#stream = `KV_${bucket}`;
    this.index = new StateIndex(kv);
  }

  /** Reads a key, and settles what a transaction has left there. */
  async current(key: string): Promise<Current> {
    for (;;) {
      const entry = await this.#kv.get(key);
      if (!entry) return { revision: 0, value: null };
      const { revision } = entry;
      if (entry.operation !== "PUT") return { revision, value: null };
      const found = decodeEntry(entry.string());
      if (found.kind === "value") return { revision, value: found.value };
      const fate = await this.#fateOf(found.transaction, key, revision);
      if (fate === "moved") continue;
      await this.#settle(key, fate === "committed" ? found.after : found.before, revision);
    }
  }

  /** Writes one key. @returns `false` where it has moved on. */
  async write({ key, value, expected }: KeyWrite): Promise<boolean> {
    if (value === null && expected === 0) return (await this.current(key)).value === null;
    if ((await this.#put(key, value, expected)) !== null) return true;
    if (expected !== 0) return false;
    // What has been deleted has a revision too.
    const { revision, value: now } = await this.current(key);
    return now === null && revision !== 0 && (await this.#put(key, value, revision)) !== null;
  }

  /** Writes several keys, all or none. @returns `false` where one has moved on. */
  async writeAll(writes: readonly KeyWrite[]): Promise<boolean> {
    const transaction = randomUUID();
    const before = await Promise.all(writes.map(({ key }) => this.current(key)));
    const stale = writes.some(({ expected }, at) => {
      const { revision, value } = before[at] as Current;
      return expected !== (value === null ? 0 : revision);
    });
    if (stale) return false;
    const intents = await Promise.all(
      writes.map(async ({ key, value }, at) => {
        const { revision, value: old } = before[at] as Current;
        const intent: StateEntry = { kind: "intent", transaction, before: old, after: value };
        return { key, value, old, revision: await this.#store(key, encodeEntry(intent), revision) };
      }),
    );
    const placed = intents.every(({ revision }) => revision !== null);
    // Only this writer commits it: without the record, any cleanup aborts it.
    const decided = placed ? await this.#decide(transaction, "committed") : null;
    const settling = intents.map(async ({ key, value, old, revision }) => {
      if (revision !== null) await this.#settle(key, decided === null ? old : value, revision);
    });
    if (decided === null) {
      await Promise.allSettled(settling);
      return false;
    }
    // The record is removed when no reader can need it.
    void Promise.all(settling)
      .then(() => this.#jsm.streams.deleteMessage(this.#stream, decided, false))
      .catch(() => undefined);
    return true;
  }

  /** Deletes what has not been written since. */
  async drop(key: string, revision: number): Promise<void> {
    await this.#put(key, null, revision);
  }

  /**
   * Takes away the marks that deleted keys have left, so that a bucket does not grow with every key that ever was. A
   * revision is never reused, so a key that is recreated cannot be mistaken for the old one.
   *
   * @param before milliseconds since 1970: marks made before are taken away.
   * @returns how many there were.
   */
  async sweep(before: number): Promise<number> {
    const marks = this.index.deleted(before);
    for (const [key, { revision }] of marks) {
      // Only up to the mark itself: what has been written since stays.
      await this.#jsm.streams.purge(this.#stream, {
        filter: `$KV.${this.#bucket}.${key}`,
        seq: revision + 1,
      });
      this.index.forget(key, revision);
    }
    return marks.length;
  }

  /** What became of a transaction that an intent belongs to; `moved` where the intent is gone. */
  async #fateOf(
    transaction: string,
    key: string,
    revision: number,
  ): Promise<"committed" | "aborted" | "moved"> {
    const record = transactionKey(transaction);
    for (const pause of [0, ...patience]) {
      if (pause > 0) await sleep(pause);
      const decided = await this.#kv.get(record);
      if (decided) return decided.string() === "committed" ? "committed" : "aborted";
      if ((await this.#kv.get(key))?.revision !== revision) return "moved";
    }
    if ((await this.#decide(transaction, "aborted")) === null) {
      const decided = await this.#kv.get(record);
      if (decided?.string() === "committed") return "committed";
    }
    // The record may have been made and taken away again while we waited; then the intent is gone as well.
    return (await this.#kv.get(key))?.revision === revision ? "aborted" : "moved";
  }

  /** Makes the record of a transaction. @returns its revision; `null` where there is one already. */
  async #decide(transaction: string, fate: "committed" | "aborted"): Promise<number | null> {
    return orConflict(this.#kv.put(transactionKey(transaction), fate, { previousSeq: 0 }));
  }

  async #settle(key: string, value: string | null, revision: number): Promise<void> {
    await this.#put(key, value, revision);
  }

  #put(key: string, value: string | null, expected: number): Promise<number | null> {
    return this.#store(key, value === null ? null : encodeEntry({ kind: "value", value }), expected);
  }

  /** @returns the revision; `null` where the key has moved on. */
  async #store(key: string, text: string | null, expected: number): Promise<number | null> {
    const options = { previousSeq: expected };
    if (text === null) {
      const done = await orConflict(this.#kv.delete(key, options).then(() => expected + 1));
      if (done === null) return null;
      // The library does not tell the revision of a deletion; the watch does.
      this.index.note(key, { revision: done, bytes: 0, writtenAt: Date.now(), deleted: true });
      return done;
    }
    const revision = await orConflict(this.#kv.put(key, text, options));
    if (revision === null) return null;
    const bytes = storedBytes(key, Buffer.byteLength(text));
    this.index.note(key, { revision, bytes, writtenAt: Date.now(), deleted: false });
    return revision;
  }
}

async function orConflict(work: Promise<number>): Promise<number | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof JetStreamApiError) {
      const { code } = error;
      if (
        code === JetStreamApiCodes.StreamWrongLastSequence ||
        code === JetStreamApiCodes.StreamWrongLastSequenceUnknown
      )
        return null;
    }
    throw error;
  }
}
