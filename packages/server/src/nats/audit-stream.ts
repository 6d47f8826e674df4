import { DeliverPolicy, DiscardPolicy, type JsMsg, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { headers, nanos } from "@nats-io/transport-node";
import type { AuditChain, AuditHead, AuditRecord } from "../storage.ts";
import { type AuditBatch, readBatch } from "./audit-spool.ts";
import type { NatsLink } from "./link.ts";
import { type FleetNames, tenantOf, tokenOf } from "./names.ts";
import { StreamOnce } from "./stream-once.ts";

/** Room that is left in a message for its headers, in bytes. */
const headerRoom = 4_096;
/** How long the server itself remembers the ids of messages, in milliseconds. */
const duplicateWindowMs = 120_000;

const partHeader = "Hookwarden-Part";
const headHeader = "Hookwarden-Head";

/** A message of a chain, and where it lies. */
interface Part {
  readonly seq: number;
  readonly bytes: Uint8Array;
  readonly index: number;
  readonly count: number;
}

/**
 * Chains of audit records in one JetStream stream: a subject for each tenant and node, a message for each batch, several
 * where it does not fit in one.
 */
export class AuditStream {
  readonly #link: NatsLink;
  readonly #names: FleetNames;
  readonly #stream: StreamOnce;

  constructor(link: NatsLink, names: FleetNames, replicas = 1) {
    this.#link = link;
    this.#names = names;
    this.#stream = new StreamOnce({
      name: names.audit,
      subjects: [names.auditAll],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      // When it is full it refuses, and never drops what is older.
      discard: DiscardPolicy.New,
      num_replicas: replicas,
      duplicate_window: nanos(duplicateWindowMs),
      deny_delete: true,
    });
  }

  /**
   * Publishes a batch, and waits until the server has it. A batch that is published again within two minutes is dropped
   * by its id.
   */
  async publish({ chain, records, head }: AuditBatch): Promise<void> {
    await this.#stream.ensure(this.#link.parts().jsm);
    const { js } = this.#link.parts();
    const whole = Buffer.from(JSON.stringify({ chain, records, head }));
    const most = this.#link.maxPayload - headerRoom;
    const count = Math.ceil(whole.length / most);
    const subject = this.#subject(chain);
    const id = `${subject}/${head.log}/${records[0]?.n ?? 0}-${head.n}`;
    for (let index = 0; index < count; index++) {
      const fields = headers();
      fields.set(partHeader, `${index + 1}/${count}`);
      if (index === count - 1) fields.set(headHeader, JSON.stringify(head));
      const part = whole.subarray(index * most, (index + 1) * most);
      try {
        await js.publish(subject, part, { msgID: `${id}/${index}`, headers: fields });
      } catch (error) {
        // The stream may be gone: it is looked for again before the next batch.
        this.#stream.forget();
        throw error;
      }
    }
  }

  /** Where a chain stands. */
  async head(chain: AuditChain): Promise<AuditHead | null> {
    await this.#stream.ensure(this.#link.parts().jsm);
    const { jsm } = this.#link.parts();
    const last = await jsm.streams.getMessage(this.#names.audit, { last_by_subj: this.#subject(chain) });
    if (!last) return null;
    const said = last.header.get(headHeader);
    if (said !== "") return JSON.parse(said) as AuditHead;
    // A node died within a batch of several messages: the chain ends with the batch before.
    let head: AuditHead | null = null;
    for await (const batch of this.#batches(chain)) head = batch.batch.head;
    return head;
  }

  async *read(chain: AuditChain): AsyncIterable<AuditRecord> {
    for await (const { batch } of this.#batches(chain)) yield* batch.records;
  }

  async chains(tenant?: string): Promise<AuditChain[]> {
    await this.#stream.ensure(this.#link.parts().jsm);
    const { jsm } = this.#link.parts();
    const filter = tenant === undefined ? this.#names.auditAll : `${this.#names.auditOf(tenant)}.*`;
    const info = await jsm.streams.info(this.#names.audit, { subjects_filter: filter });
    return Object.keys(info.state.subjects ?? {}).flatMap((subject) => {
      const [tenantToken = "", nodeToken = ""] = subject.split(".").slice(-2);
      const [name, node] = [tenantOf(tenantToken), tenantOf(nodeToken)];
      return name === null || node === null ? [] : [{ tenant: name, node }];
    });
  }

  /** Removes the batches of a chain that were stored before a time, but the last one. @returns how many records. */
  async prune(chain: AuditChain, before: number): Promise<number> {
    let records = 0;
    let keepFrom = 0;
    let previous: { readonly count: number; readonly at: number } | null = null;
    for await (const { batch, firstSeq, at } of this.#batches(chain)) {
      if (previous && previous.at < before) records += previous.count;
      keepFrom = firstSeq;
      if (at >= before) break;
      previous = { count: batch.records.length, at };
    }
    if (records === 0) return 0;
    const { jsm } = this.#link.parts();
    await jsm.streams.purge(this.#names.audit, { filter: this.#subject(chain), seq: keepFrom });
    return records;
  }

  /** Whole batches of a chain, oldest first; what is left of one that a crash has cut off is passed over. */
  async *#batches(
    chain: AuditChain,
  ): AsyncIterable<{ readonly batch: AuditBatch; readonly firstSeq: number; readonly at: number }> {
    let parts: Part[] = [];
    for await (const message of this.#messages(this.#subject(chain))) {
      const place = /^(\d{1,6})\/(\d{1,6})$/.exec(message.headers?.get(partHeader) ?? "");
      if (!place) continue;
      const [index, count] = [Number(place[1]), Number(place[2])];
      if (index === 1) parts = [];
      if (index !== parts.length + 1) continue;
      parts.push({ seq: message.seq, bytes: message.data, index, count });
      if (index !== count) continue;
      const batch = readBatch(Buffer.concat(parts.map(({ bytes }) => bytes)).toString("utf8"));
      const firstSeq = (parts[0] as Part).seq;
      if (batch) yield { batch, firstSeq, at: message.info.timestampNanos / 1e6 };
    }
  }

  async *#messages(subject: string): AsyncIterable<JsMsg> {
    await this.#stream.ensure(this.#link.parts().jsm);
    const { js, jsm } = this.#link.parts();
    const last = await jsm.streams.getMessage(this.#names.audit, { last_by_subj: subject });
    if (!last) return;
    const consumer = await js.consumers.get(this.#names.audit, {
      filter_subjects: subject,
      deliver_policy: DeliverPolicy.All,
    });
    for (let seq = 0; seq < last.seq;) {
      const before = seq;
      for await (const message of await consumer.fetch({ max_messages: 256, expires: 2_000 })) {
        ({ seq } = message);
        yield message;
        if (seq >= last.seq) return;
      }
      if (seq === before) throw new Error("the audit stream does not answer");
    }
  }

  #subject({ tenant, node }: AuditChain): string {
    return `${this.#names.auditOf(tenant)}.${tokenOf(node)}`;
  }
}
