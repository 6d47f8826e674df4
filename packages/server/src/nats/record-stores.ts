import type { KeptQuarantine, KeyRecord, KeyStore, QuarantineStore, TenantStore } from "../storage.ts";
import type { TenantRecord } from "../tenants.ts";
import { hashOf, tenantOf, tokenOf } from "./names.ts";
import type { Registry } from "./registry.ts";

/** Credentials of a fleet. Only their digests are shared. */
export class NatsKeyStore implements KeyStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  find(id: string): KeyRecord | null {
    return this.#registry.get(keyKey(id)) as KeyRecord | null;
  }

  async add(key: KeyRecord): Promise<void> {
    const added = await this.#registry.change(keyKey(key.id), (before) =>
      before === null ? key : undefined,
    );
    if (added === undefined) throw new Error("there is a key of this id");
  }

  async revoke(id: string, at: string): Promise<boolean> {
    const done = await this.#registry.change(keyKey(id), (before) => {
      const key = before as KeyRecord | null;
      return key ? { ...key, revoked: key.revoked ?? at } : undefined;
    });
    return done !== undefined;
  }

  watch(listener: () => void): Disposable {
    return this.#registry.watch(({ key }) => {
      if (key.startsWith("key.")) listener();
    });
  }

  list(tenant: string | null): readonly KeyRecord[] {
    const keys = this.#registry.list("key.").map(({ value }) => value as KeyRecord);
    return keys.filter((key) => key.tenant === tenant);
  }
}

/** The tenants of a fleet. */
export class NatsTenantStore implements TenantStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  get(tenant: string): TenantRecord | null {
    return this.#registry.get(tenantKey(tenant)) as TenantRecord | null;
  }

  list(): readonly TenantRecord[] {
    const tenants = this.#registry.list("tenant.").map(({ value }) => value as TenantRecord);
    return tenants.sort((one, other) => (one.tenant < other.tenant ? -1 : 1));
  }

  async put(tenant: TenantRecord): Promise<void> {
    await this.#registry.change(tenantKey(tenant.tenant), () => tenant);
  }

  watch(listener: (tenant: string) => void): Disposable {
    return this.#registry.watch(({ key }) => {
      const tenant = key.startsWith("tenant.") ? tenantOf(key.slice("tenant.".length)) : null;
      if (tenant !== null) listener(tenant);
    });
  }

  async remove(tenant: string): Promise<boolean> {
    const done = await this.#registry.change(tenantKey(tenant), (before) =>
      before === null ? undefined : null,
    );
    return done !== undefined;
  }
}

/** A quarantine that is over. */
interface Ended {
  readonly ended?: boolean;
}

/** The hooks that are quarantined anywhere in a fleet. */
export class NatsQuarantineStore implements QuarantineStore {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  list(): readonly KeptQuarantine[] {
    const all = this.#registry.list("quarantine.").map(({ value }) => value as KeptQuarantine & Ended);
    return all.filter(({ ended }) => !ended);
  }

  async put(entry: KeptQuarantine): Promise<void> {
    await this.#registry.change(quarantineKey(entry.tenant, entry.program), () => entry);
  }

  async remove(tenant: string, program: string): Promise<void> {
    await this.#registry.change(quarantineKey(tenant, program), (before) =>
      // Which hook it was stays, so that other nodes know what is over.
      before === null || (before as Ended).ended ? undefined : { tenant, program, ended: true },
    );
  }

  watch(listener: (tenant: string, program: string, entry: KeptQuarantine | null) => void): Disposable {
    return this.#registry.watch(({ key, value }) => {
      if (!key.startsWith("quarantine.") || value === null) return;
      const { tenant, program, ended } = value as KeptQuarantine & Ended;
      listener(tenant, program, ended ? null : (value as KeptQuarantine));
    });
  }
}

function keyKey(id: string): string {
  return `key.${hashOf(id)}`;
}

function tenantKey(tenant: string): string {
  return `tenant.${tokenOf(tenant)}`;
}

function quarantineKey(tenant: string, program: string): string {
  return `quarantine.${tokenOf(tenant)}.${hashOf(program)}`;
}
