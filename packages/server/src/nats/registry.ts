import { setTimeout as sleep } from "node:timers/promises";
import { JetStreamApiError, StorageType } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { HookwardenError } from "hookwarden/errors";
import { KeptFiles } from "./kept-files.ts";
import type { NatsLink } from "./link.ts";
import { type Seal, sealedBytes, type SealedRecord } from "./seal.ts";

export interface RegistryOptions {
  readonly bucket: string;
  /** Folder in which the last good version of each record is kept, with its signature. */
  readonly folder: string;
  readonly replicas?: number;
  /** How often the watch is held against the bucket, in milliseconds. Default 2,000. */
  readonly checkMs?: number;
}

/** Tells of a record that has changed. */
export type RegistryListener = (record: SealedRecord) => void;

const patienceMs = 3_000;
const maxTries = 20;
/** Records that are written to the disk at the same time. */
const atOnce = 32;

/**
 * Records that all nodes of a fleet share: who the tenants are, their keys, which pack serves whom. Each node holds them
 * all in memory, follows changes by a watch, and keeps the last good version of each on its disk.
 *
 * A record is taken if it is signed by a trusted key, is for that very key, and has a higher version than the one that is
 * known; so nothing in NATS, whoever wrote it, can take a record back, give it to another or make a node forget it.
 */
export class Registry {
  private readonly link: NatsLink;
  private readonly seal: Seal;
  private readonly options: RegistryOptions;
  private readonly files: KeptFiles;
  private readonly records = new Map<string, SealedRecord>();
  private readonly listeners = new Set<RegistryListener>();
  /** What is being taken in, by key: of two versions the higher one stays. */
  private readonly taking = new Map<string, Promise<unknown>>();
  private kv: Promise<KV> | null = null;
  private seen = 0;
  private refusedCount = 0;
  private closed = false;
  private stopWatch: (() => void) | null = null;
  private readonly synced: Promise<void>;
  private saySynced: () => void = () => undefined;
  private following: Promise<void> = Promise.resolve();

  private constructor(link: NatsLink, seal: Seal, options: RegistryOptions) {
    this.link = link;
    this.seal = seal;
    this.options = options;
    this.files = new KeptFiles(options.folder);
    this.synced = new Promise((resolve) => (this.saySynced = resolve));
  }

  /** Reads what is kept on the disk, then follows the fleet. Waits for it for a moment, and goes on without it. */
  static async open(link: NatsLink, seal: Seal, options: RegistryOptions): Promise<Registry> {
    const registry = new Registry(link, seal, options);
    for await (const bytes of registry.files.all(sealedBytes)) {
      const key = keyIn(bytes);
      const record = key === null ? null : await seal.open(key, bytes);
      if (record) registry.records.set(record.key, record);
    }
    registry.following = registry.follow();
    await Promise.race([registry.synced, sleep(patienceMs, null, { ref: false })]);
    return registry;
  }

  /** Records that were offered and not taken, since the start. */
  get refused(): number {
    return this.refusedCount;
  }

  /** The value of a record; `null` where there is none. */
  get(key: string): unknown {
    return this.records.get(key)?.value ?? null;
  }

  /** The records whose keys begin so, those taken away left out. */
  list(prefix: string): SealedRecord[] {
    const found: SealedRecord[] = [];
    for (const record of this.records.values())
      if (record.value !== null && record.key.startsWith(prefix)) found.push(record);
    return found;
  }

  /**
   * Changes a record, in the fleet and here.
   *
   * @param change the new value from the one that is there (`null`: none); `undefined` to leave it.
   * @returns the value that is there now; `undefined` where it was left.
   * @throws {HookwardenError} `nats-unavailable`, or `option-invalid` where this node has no key.
   */
  async change(key: string, change: (before: unknown) => unknown): Promise<unknown> {
    const kv = await this.bucket();
    for (let tries = 0; tries < maxTries; tries++) {
      const entry = await kv.get(key);
      if (entry?.operation === "PUT") await this.take(key, entry.value);
      const before = this.records.get(key);
      const value = change(before?.value ?? null);
      if (value === undefined) return undefined;
      const bytes = await this.seal.close({ key, version: (before?.version ?? 0) + 1, value });
      try {
        await kv.put(key, bytes, { previousSeq: entry?.revision ?? 0 });
      } catch (error) {
        // Somebody else was first: look again.
        if (error instanceof JetStreamApiError) continue;
        throw new HookwardenError(
          "nats-unavailable",
          "a record of the fleet could not be written",
          {},
          { cause: error },
        );
      }
      await this.take(key, bytes);
      return value;
    }
    throw new HookwardenError(
      "nats-unavailable",
      "a record of the fleet is being changed by too many at once",
    );
  }

  /** Calls back for every change from now on, own ones included. */
  watch(listener: RegistryListener): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stopWatch?.();
    await this.following;
    await Promise.all(this.taking.values());
  }

  /** Takes a version in, if it is one. */
  private take(key: string, bytes: Uint8Array): Promise<boolean> {
    const taken = (this.taking.get(key) ?? Promise.resolve()).then(async () => {
      const known = this.records.get(key);
      const record = await this.seal.open(key, bytes);
      if (!record) {
        this.refusedCount++;
        return false;
      }
      if (known && known.version >= record.version) {
        if (known.version > record.version) this.refusedCount++;
        return false;
      }
      // On the disk before it counts: after a restart the node must not know less than it has said.
      await this.files.write(key, bytes);
      this.records.set(key, record);
      for (const listener of this.listeners) listener(record);
      return true;
    });
    const settled = taken.catch(() => undefined);
    this.taking.set(key, settled);
    void settled.then(() => {
      if (this.taking.get(key) === settled) this.taking.delete(key);
    });
    return taken;
  }

  private async follow(): Promise<void> {
    while (!this.closed) {
      try {
        if (this.link.connected) await this.watchOnce(await this.bucket());
      } catch {
        // NATS is away, or something of it; what is known goes on serving.
      }
      if (!this.closed) await sleep(200, null, { ref: false });
    }
  }

  /** Follows the bucket until the watch ends or is found to have missed something. */
  private async watchOnce(kv: KV): Promise<void> {
    const { state } = (await kv.status()).streamInfo;
    if (state.messages === 0) this.sayUpTo(state.last_seq);
    const watch = await kv.watch();
    this.stopWatch = () => watch.stop();
    if (this.closed) return watch.stop();
    const checking = this.check(kv, () => watch.stop());
    try {
      for await (const { rawKey, value, operation, revision, delta } of watch) {
        // What somebody has deleted is kept: a record is taken away by a signed version that says so.
        if (operation === "PUT") this.take(rawKey, value).catch(() => undefined);
        // Several at a time, since each waits for the disk.
        while (this.taking.size >= atOnce) await Promise.race(this.taking.values());
        if (delta === 0) await Promise.all(this.taking.values());
        this.seen = revision;
        // The last words of the bucket may have been deleted, so that nothing will ever come for them.
        if (delta === 0) this.sayUpTo(Math.max(revision, state.last_seq));
      }
    } finally {
      checking[Symbol.dispose]();
    }
  }

  private sayUpTo(revision: number): void {
    this.seen = revision;
    this.saySynced();
  }

  /** A watch can die without a word. It is held against the bucket, and begun anew where it stands still beside it. */
  private check(kv: KV, restart: () => void): Disposable {
    let still: number | null = null;
    const timer = setInterval(() => {
      if (!this.link.connected) return;
      kv.status()
        .then(({ streamInfo }) => streamInfo.state.last_seq === this.seen)
        .catch(() => {
          // The bucket may be gone: it is made again.
          this.kv = null;
          return false;
        })
        .then((current) => {
          if (!current && still === this.seen) restart();
          still = current ? null : this.seen;
        });
    }, this.options.checkMs ?? 2_000);
    timer.unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  private async bucket(): Promise<KV> {
    const { js } = this.link.parts();
    this.kv ??= new Kvm(js)
      .create(this.options.bucket, {
        replicas: this.options.replicas ?? 1,
        storage: StorageType.File,
        history: 1,
        allow_direct: false,
      })
      .catch((error: unknown) => {
        this.kv = null;
        throw new HookwardenError(
          "nats-unavailable",
          "the fleet's records cannot be reached",
          {},
          { cause: error },
        );
      });
    return this.kv;
  }
}

/** The key that a kept record says it has; the signature is looked at with it. */
function keyIn(bytes: Buffer): string | null {
  const match = /^\{"key":"([A-Za-z0-9._=/-]{1,2200})",/.exec(
    bytes.subarray(bytes.indexOf(10) + 1, bytes.indexOf(10) + 2_300).toString("latin1"),
  );
  return match ? (match[1] as string) : null;
}
