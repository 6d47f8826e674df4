import { JetStreamApiCodes, JetStreamApiError, StorageType } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import {
  type Quota,
  type QuotaOptions,
  quotaOf,
  StateQuotaError,
  type StateKey,
  type StateRecord,
  type StateStore,
  type StateWrite,
} from "hookwarden/state";
import type { NatsLink } from "./link.ts";
import { fleetNames } from "./names.ts";
import { StateBucket } from "./state-bucket.ts";
import { entryKey, entryOverhead, tenantKey } from "./state-entry.ts";
import { storedBytes } from "./state-index.ts";

export interface NatsStateOptions extends QuotaOptions {
  /** Prefix of the fleet's names. Default `hookwarden`. */
  readonly prefix?: string;
  /** The bucket, instead of the one of the fleet. */
  readonly bucket?: string;
  /** How many servers keep each record: 1, 3 or 5. Default 1. */
  readonly replicas?: number;
}

const sweepMs = 600_000;

/**
 * State that servers on several machines share: a NATS key-value bucket with compare-and-set. A commit of one key is one
 * message; one of several keys is a transaction. While NATS is away, reads and commits fail at once, and hooks that keep
 * state fault.
 *
 * A quota is held to what this node has seen: writes of other nodes in the last milliseconds may take a tenant past it
 * by as much.
 */
export class NatsStateStore implements StateStore {
  readonly #link: NatsLink;
  readonly #quota: Quota;
  readonly #bucketName: string;
  readonly #replicas: number;
  readonly #timer: NodeJS.Timeout;
  #opening: Promise<StateBucket> | null = null;

  constructor(link: NatsLink, options: NatsStateOptions = {}) {
    this.#link = link;
    this.#quota = quotaOf(options);
    this.#bucketName = options.bucket ?? fleetNames(options.prefix).state;
    this.#replicas = options.replicas ?? 1;
    this.#timer = setInterval(() => {
      if (this.#opening) this.sweep().catch(() => undefined);
    }, sweepMs);
    this.#timer.unref();
  }

  /** @throws {Error} while NATS is away. */
  async read(key: StateKey): Promise<StateRecord | null> {
    const bucket = await this.#bucket();
    const { revision, value } = await bucket
      .current(entryKey(key))
      .catch((error: unknown) => this.#failed(error));
    return value === null ? null : { value, version: revision };
  }

  /** @throws {StateQuotaError} where a tenant would hold too much; nothing is written then. */
  async commit(writes: readonly StateWrite[]): Promise<boolean> {
    const bucket = await this.#bucket();
    await this.#makeRoom(bucket, writes);
    const keyed = writes.map(({ key, value, expected }) => ({ key: entryKey(key), value, expected }));
    const [first, ...others] = keyed;
    if (!first) return true;
    const written = others.length === 0 ? bucket.write(first) : bucket.writeAll(keyed);
    return written.catch((error: unknown) => this.#failed(error));
  }

  /**
   * Takes away what deleted keys have left; done by itself every ten minutes.
   *
   * @param olderMs only of keys that were deleted so many milliseconds ago. Default an hour.
   */
  async sweep(olderMs = 3_600_000): Promise<number> {
    return (await this.#bucket()).sweep(Date.now() - olderMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    (await this.#opening?.catch(() => null))?.index.stop();
  }

  /** What fails may do so because somebody has taken the bucket away; then it is made again for the next one. */
  #failed(reason: unknown): never {
    if (this.#opening && this.#link.connected) void this.#reopen(this.#opening);
    throw reason;
  }

  async #reopen(opening: Promise<StateBucket>): Promise<void> {
    try {
      await this.#link.parts().jsm.streams.info(`KV_${this.#bucketName}`);
    } catch (error) {
      const isGone = error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
      if (!isGone || this.#opening !== opening) return;
      this.#opening = null;
      (await opening).index.stop();
    }
  }

  async #makeRoom(bucket: StateBucket, writes: readonly StateWrite[]): Promise<void> {
    const { index } = bucket;
    await index.ready();
    const growth = new Map<string, number>();
    const touched = new Set<string>();
    for (const { key, value } of writes) {
      const [tenant, name] = [tenantKey(key.tenant), entryKey(key)];
      touched.add(name);
      const after = value === null ? 0 : storedBytes(name, Buffer.byteLength(value) + entryOverhead);
      const before = index.get(tenant, name)?.bytes ?? 0;
      growth.set(tenant, (growth.get(tenant) ?? 0) + after - before);
    }
    const { maxBytesPerTenant, sessionIdleMs } = this.#quota;
    const isFull = (tenant: string, bytes: number): boolean =>
      bytes > 0 && index.bytesOf(tenant) + bytes > maxBytesPerTenant;
    for (const [tenant, bytes] of growth) {
      if (!isFull(tenant, bytes)) continue;
      for (const [key, { revision }] of index.idle(tenant, Date.now() - sessionIdleMs)) {
        if (!touched.has(key)) await bucket.drop(key, revision);
      }
      if (isFull(tenant, bytes)) throw new StateQuotaError(maxBytesPerTenant);
    }
  }

  #bucket(): Promise<StateBucket> {
    const { jsm, js } = this.#link.parts();
    this.#opening ??= (async () => {
      // Reads go to the server that leads: a copy that lags would show hooks a count from before their last one.
      const options = {
        replicas: this.#replicas,
        storage: StorageType.File,
        history: 1,
        allow_direct: false,
      };
      return new StateBucket(await new Kvm(js).create(this.#bucketName, options), jsm, this.#bucketName);
    })().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }
}
