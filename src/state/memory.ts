import { keyText } from "./key.ts";
import { type Quota, type QuotaOptions, quotaOf, StateQuotaError } from "./quota.ts";
import type { StateKey, StateRecord, StateStore, StateWrite } from "./store.ts";

interface StoredRecord extends StateRecord {
  readonly session: boolean;
  readonly bytes: number;
  readonly writtenAt: number;
}

interface Tenant {
  bytes: number;
  readonly records: Map<string, StoredRecord>;
}

/** State in the memory of this process: not persistent, not shared. */
export class MemoryStateStore implements StateStore {
  readonly #tenants = new Map<string, Tenant>();
  readonly #quota: Quota;
  /** Never reset: a deleted and recreated key must not reuse a version that a writer may still expect. */
  #lastVersion = 0;

  constructor(options: QuotaOptions = {}) {
    this.#quota = quotaOf(options);
  }

  read(key: StateKey): StateRecord | null {
    return this.#tenants.get(key.tenant)?.records.get(keyText(key)) ?? null;
  }

  /** @throws {StateQuotaError} if a tenant would exceed its quota; nothing is written. */
  commit(writes: readonly StateWrite[]): boolean {
    for (const { key, expected } of writes) {
      if ((this.read(key)?.version ?? 0) !== expected) return false;
    }
    this.#enforceQuota(writes);
    for (const write of writes) this.#write(write);
    return true;
  }

  #enforceQuota(writes: readonly StateWrite[]): void {
    const growth = new Map<string, number>();
    for (const { key, value } of writes) {
      const previous = this.#tenants.get(key.tenant)?.records.get(keyText(key))?.bytes ?? 0;
      growth.set(key.tenant, (growth.get(key.tenant) ?? 0) + sizeOf(key, value) - previous);
    }
    for (const [name, bytes] of growth) {
      const tenant = this.#tenants.get(name) ?? { bytes: 0, records: new Map() };
      const maxBytes = this.#quota.maxBytes(name);
      if (bytes <= 0 || tenant.bytes + bytes <= maxBytes) continue;
      const touched = new Set(writes.map(({ key }) => keyText(key)));
      this.#evictIdle(tenant, touched);
      if (tenant.bytes + bytes > maxBytes) throw new StateQuotaError(maxBytes);
    }
  }

  #evictIdle(tenant: Tenant, keep: ReadonlySet<string>): void {
    const before = Date.now() - this.#quota.sessionIdleMs;
    for (const [text, record] of tenant.records) {
      if (!record.session || record.writtenAt >= before || keep.has(text)) continue;
      tenant.records.delete(text);
      tenant.bytes -= record.bytes;
    }
  }

  #write({ key, value }: StateWrite): void {
    let tenant = this.#tenants.get(key.tenant);
    if (!tenant) this.#tenants.set(key.tenant, (tenant = { bytes: 0, records: new Map() }));
    const text = keyText(key);
    tenant.bytes -= tenant.records.get(text)?.bytes ?? 0;
    if (value === null) {
      tenant.records.delete(text);
      if (tenant.records.size === 0) this.#tenants.delete(key.tenant);
      return;
    }
    const bytes = sizeOf(key, value);
    tenant.bytes += bytes;
    const version = ++this.#lastVersion;
    tenant.records.set(text, {
      value,
      version,
      bytes,
      session: key.scope === "session",
      writtenAt: Date.now(),
    });
  }
}

function sizeOf(key: StateKey, value: string | null): number {
  return value === null ? 0 : Buffer.byteLength(value) + Buffer.byteLength(keyText(key));
}
