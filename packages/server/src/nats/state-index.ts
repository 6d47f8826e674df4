import type { KV } from "@nats-io/kv";

/** What the index knows of one key. */
export interface IndexedKey {
  readonly revision: number;
  /** Bytes of the stored value and of the key. */
  readonly bytes: number;
  /** Milliseconds since 1970, by the clock of the NATS server. */
  readonly writtenAt: number;
  readonly deleted: boolean;
}

interface TenantIndex {
  bytes: number;
  readonly keys: Map<string, IndexedKey>;
}

/** How long to wait for the first reading of a bucket, in milliseconds. */
const readTimeoutMs = 5_000;

/**
 * Sizes and ages of all keys of a bucket, by tenant, kept by watching headers only. It is what quotas are held to: a
 * counter that many nodes write would be a key that all of them fight for, and would drift when one of them dies.
 */
export class StateIndex {
  readonly #tenants = new Map<string, TenantIndex>();
  #stopped = false;
  #stopWatch: (() => void) | null = null;
  readonly #read: Promise<void>;

  constructor(kv: KV) {
    this.#read = this.#start(kv);
    this.#read.catch(() => undefined);
  }

  /** Resolves when all that was there at the start has been seen. */
  async ready(): Promise<void> {
    await this.#read;
  }

  bytesOf(tenant: string): number {
    return this.#tenants.get(tenant)?.bytes ?? 0;
  }

  get(tenant: string, key: string): IndexedKey | undefined {
    return this.#tenants.get(tenant)?.keys.get(key);
  }

  /** Keys of sessions without writes since. */
  idle(tenant: string, before: number): [string, IndexedKey][] {
    const found = [...(this.#tenants.get(tenant)?.keys ?? [])];
    return found.filter(([key, { deleted, writtenAt }]) => isSession(key) && !deleted && writtenAt < before);
  }

  /** Keys that were deleted before a time. */
  deleted(before: number): [string, IndexedKey][] {
    const all = [...this.#tenants.values()].flatMap(({ keys }) => [...keys]);
    return all.filter(([, { deleted, writtenAt }]) => deleted && writtenAt < before);
  }

  /** Forgets a deleted key, unless it has been written since. */
  forget(key: string, revision: number): void {
    const tenant = tenantPart(key) ?? "";
    const known = this.#tenants.get(tenant);
    if (known?.keys.get(key)?.revision !== revision) return;
    known.keys.delete(key);
    if (known.keys.size === 0) this.#tenants.delete(tenant);
  }

  /** Takes in a write; what is older than what is known is not news. */
  note(key: string, entry: IndexedKey): void {
    const tenant = tenantPart(key);
    if (tenant === null) return;
    let known = this.#tenants.get(tenant);
    if (!known) this.#tenants.set(tenant, (known = { bytes: 0, keys: new Map() }));
    const before = known.keys.get(key);
    if (before && before.revision >= entry.revision) return;
    known.bytes += entry.bytes - (before?.bytes ?? 0);
    // What is deleted is kept for its revision, so that a late word of an older write does not bring it back.
    known.keys.set(key, entry);
  }

  stop(): void {
    this.#stopped = true;
    this.#stopWatch?.();
  }

  async #start(kv: KV): Promise<void> {
    const { streamInfo } = await kv.status();
    const watch = await kv.watch({ headers_only: true });
    if (this.#stopped) return watch.stop();
    this.#stopWatch = () => watch.stop();
    let seen: () => void = () => undefined;
    const first = new Promise<void>((resolve) => (seen = resolve));
    if (streamInfo.state.messages === 0) seen();
    void (async () => {
      for await (const { rawKey, revision, length, created, operation, delta } of watch) {
        const deleted = operation !== "PUT";
        const bytes = deleted ? 0 : storedBytes(rawKey, length);
        this.note(rawKey, { revision, bytes, writtenAt: created.getTime(), deleted });
        if (delta === 0) seen();
      }
    })().catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error("the state bucket could not be read in time")),
        readTimeoutMs,
      );
    });
    await Promise.race([first, late]).finally(() => clearTimeout(timer));
  }
}

/** What a key with its value counts for. */
export function storedBytes(key: string, valueBytes: number): number {
  return key.length + valueBytes;
}

/** Keys of state are `<tenant>.<s or t>.<digest>`; others are transactions. */
function tenantPart(key: string): string | null {
  const parts = key.split(".");
  return parts.length === 3 ? (parts[0] as string) : null;
}

function isSession(key: string): boolean {
  return key.split(".")[1] === "s";
}
