import { setTimeout as sleep } from "node:timers/promises";
import { JetStreamApiError, StorageType } from "@nats-io/jetstream";
import { type KV, Kvm } from "@nats-io/kv";
import { HookwardenError } from "hookwarden/errors";
import { AtomicFiles } from "./atomic-files.ts";
import type { NatsLink } from "./link.ts";
import { type RecordSigner, maxRecordBytes, type SignedRecord } from "./signed-record.ts";

export interface RegistryOptions {
  readonly bucket: string;
  /** Folder in which the last good version of each record is kept, with its signature. */
  readonly folder: string;
  readonly replicas?: number;
  /** How often the watch is held against the bucket, in milliseconds. Default 2,000. */
  readonly checkMs?: number;
}

/** Called with each record that has changed. */
export type RegistryListener = (record: SignedRecord) => void;

const syncTimeoutMs = 3_000;
const maxTries = 20;
/** Records that are written to the disk at the same time. */
const concurrency = 32;

/**
 * Records that all nodes of a fleet share: who the tenants are, their keys, which pack serves whom. Each node holds them
 * all in memory, follows changes by a watch, and keeps the last good version of each on its disk.
 *
 * A record is taken if it is signed by a trusted key, is for that very key, and has a higher version than the one that is
 * known; so nothing written to NATS can roll a record back, move it to another key, or make a node forget it.
 */
export class Registry {
  readonly #link: NatsLink;
  readonly #seal: RecordSigner;
  readonly #options: RegistryOptions;
  readonly #files: AtomicFiles;
  readonly #records = new Map<string, SignedRecord>();
  readonly #listeners = new Set<RegistryListener>();
  /** What is being taken in, by key: of two versions the higher one stays. */
  readonly #taking = new Map<string, Promise<unknown>>();
  #kv: Promise<KV> | null = null;
  #seen = 0;
  #refusedCount = 0;
  #closed = false;
  #stopWatch: (() => void) | null = null;
  readonly #synced: Promise<void>;
  #saySynced: () => void = () => undefined;
  #following: Promise<void> = Promise.resolve();

  private constructor(link: NatsLink, seal: RecordSigner, options: RegistryOptions) {
    this.#link = link;
    this.#seal = seal;
    this.#options = options;
    this.#files = new AtomicFiles(options.folder);
    this.#synced = new Promise((resolve) => (this.#saySynced = resolve));
  }

  /** Reads what is kept on the disk, then follows the fleet. Waits for it for a moment, and goes on without it. */
  static async open(link: NatsLink, seal: RecordSigner, options: RegistryOptions): Promise<Registry> {
    const registry = new Registry(link, seal, options);
    for await (const bytes of registry.#files.all(maxRecordBytes)) {
      const key = keyIn(bytes);
      const record = key === null ? null : await seal.open(key, bytes);
      if (record) registry.#records.set(record.key, record);
    }
    registry.#following = registry.#follow();
    await Promise.race([registry.#synced, sleep(syncTimeoutMs, null, { ref: false })]);
    return registry;
  }

  /** Records that were offered and not taken, since the start. */
  get refused(): number {
    return this.#refusedCount;
  }

  /** The value of a record; `null` where there is none. */
  get(key: string): unknown {
    return this.#records.get(key)?.value ?? null;
  }

  /** The records whose keys begin so, those taken away left out. */
  list(prefix: string): SignedRecord[] {
    const found: SignedRecord[] = [];
    for (const record of this.#records.values())
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
    const kv = await this.#bucket();
    for (let tries = 0; tries < maxTries; tries++) {
      const entry = await kv.get(key);
      if (entry?.operation === "PUT") await this.#take(key, entry.value);
      const before = this.#records.get(key);
      const value = change(before?.value ?? null);
      if (value === undefined) return undefined;
      const bytes = await this.#seal.close({ key, version: (before?.version ?? 0) + 1, value });
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
      await this.#take(key, bytes);
      return value;
    }
    throw new HookwardenError(
      "nats-unavailable",
      "a record of the fleet is being changed by too many at once",
    );
  }

  /** Calls back for every change from now on, own ones included. */
  watch(listener: RegistryListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWatch?.();
    await this.#following;
    await Promise.all(this.#taking.values());
  }

  /** Takes a version in, if it is one. */
  #take(key: string, bytes: Uint8Array): Promise<boolean> {
    const taken = (this.#taking.get(key) ?? Promise.resolve()).then(async () => {
      const known = this.#records.get(key);
      const record = await this.#seal.open(key, bytes);
      if (!record) {
        this.#refusedCount++;
        return false;
      }
      if (known && known.version >= record.version) {
        if (known.version > record.version) this.#refusedCount++;
        return false;
      }
      // On the disk before it counts: after a restart the node must not know less than it has said.
      await this.#files.write(key, bytes);
      this.#records.set(key, record);
      for (const listener of this.#listeners) listener(record);
      return true;
    });
    const settled = taken.catch(() => undefined);
    this.#taking.set(key, settled);
    void settled.then(() => {
      if (this.#taking.get(key) === settled) this.#taking.delete(key);
    });
    return taken;
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      try {
        if (this.#link.connected) await this.#watchOnce(await this.#bucket());
      } catch {
        // NATS is away, or something of it; what is known goes on serving.
      }
      if (!this.#closed) await sleep(200, null, { ref: false });
    }
  }

  /** Follows the bucket until the watch ends or is found to have missed something. */
  async #watchOnce(kv: KV): Promise<void> {
    const { state } = (await kv.status()).streamInfo;
    if (state.messages === 0) this.#sayUpTo(state.last_seq);
    const watch = await kv.watch();
    this.#stopWatch = () => watch.stop();
    if (this.#closed) return watch.stop();
    const checking = this.#check(kv, () => watch.stop());
    try {
      for await (const { rawKey, value, operation, revision, delta } of watch) {
        // What somebody has deleted is kept: a record is taken away by a signed version that says so.
        if (operation === "PUT") this.#take(rawKey, value).catch(() => undefined);
        // Several at a time, since each waits for the disk.
        while (this.#taking.size >= concurrency) await Promise.race(this.#taking.values());
        if (delta === 0) await Promise.all(this.#taking.values());
        this.#seen = revision;
        // The last words of the bucket may have been deleted, so that nothing will ever come for them.
        if (delta === 0) this.#sayUpTo(Math.max(revision, state.last_seq));
      }
    } finally {
      checking[Symbol.dispose]();
    }
  }

  #sayUpTo(revision: number): void {
    this.#seen = revision;
    this.#saySynced();
  }

  /** A watch can die without a word. It is held against the bucket, and begun anew where it stands still beside it. */
  #check(kv: KV, restart: () => void): Disposable {
    let still: number | null = null;
    const timer = setInterval(() => {
      if (!this.#link.connected) return;
      kv.status()
        .then(({ streamInfo }) => streamInfo.state.last_seq === this.#seen)
        .catch(() => {
          // The bucket may be gone: it is made again.
          this.#kv = null;
          return false;
        })
        .then((current) => {
          if (!current && still === this.#seen) restart();
          still = current ? null : this.#seen;
        });
    }, this.#options.checkMs ?? 2_000);
    timer.unref();
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  async #bucket(): Promise<KV> {
    const { js } = this.#link.parts();
    this.#kv ??= new Kvm(js)
      .create(this.#options.bucket, {
        replicas: this.#options.replicas ?? 1,
        storage: StorageType.File,
        history: 1,
        allow_direct: false,
      })
      .catch((error: unknown) => {
        this.#kv = null;
        throw new HookwardenError(
          "nats-unavailable",
          "the fleet's records cannot be reached",
          {},
          { cause: error },
        );
      });
    return this.#kv;
  }
}

/** The key that a kept record says it has; the signature is looked at with it. */
function keyIn(bytes: Buffer): string | null {
  const match = /^\{"key":"([A-Za-z0-9._=/-]{1,2200})",/.exec(
    bytes.subarray(bytes.indexOf(10) + 1, bytes.indexOf(10) + 2_300).toString("latin1"),
  );
  return match ? (match[1] as string) : null;
}
