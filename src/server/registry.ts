import { digestOfBytes, openBundle } from "../bundle/open.ts";
import { insistOnReview, type RequiredReview } from "../bundle/review-record.ts";
import { HookwardenError } from "../errors.ts";
import type { LoadedPack } from "../pack/types.ts";
import { limitsFrom, tenantLimitTable } from "./limits.ts";
import type { Rollout, Stores } from "./storage.ts";
import { Tenant, type TenantParts } from "./tenant.ts";
import type { TenantLimits, TenantRecord } from "./tenants.ts";

export interface RegistryOptions {
  readonly stores: Stores;
  readonly requireReview: RequiredReview | undefined;
  readonly parts: TenantParts;
  /** Limits where a tenant's record says nothing else. */
  readonly limits: TenantLimits;
  /** Opens a tenant's audit, where one is kept. */
  readonly openLog: ((tenant: string) => Promise<Tenant["log"]>) | null;
  readonly onRollout: (rollout: Rollout) => void;
  /** A pack that should serve does not; the one before goes on, where there is one. */
  readonly onBroken: (tenant: string, error: unknown) => void;
}

/** Packs that are loaded at the same time while the server starts. */
const atOnce = 8;

/** All tenants in operation, with the packs that the store says. */
export class Registry implements AsyncDisposable {
  readonly #options: RegistryOptions;
  readonly #tenants = new Map<string, Tenant>();
  /** One change of a tenant at a time. */
  readonly #changing = new Map<string, Promise<void>>();
  readonly #watches = new DisposableStack();

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  /** Loads all tenants and their packs. A pack that cannot be loaded leaves its tenant without, and others with theirs. */
  async load(): Promise<void> {
    const { stores } = this.#options;
    this.#watches.use(stores.packs.watch((rollout) => void this.apply(rollout).catch(() => undefined)));
    this.#watches.use(stores.tenants.watch?.((name) => void this.#refresh(name).catch(() => undefined)));
    const records = [...(await stores.tenants.list())];
    const worker = async (): Promise<void> => {
      for (let record = records.pop(); record; record = records.pop()) {
        const tenant = await this.#add(record);
        await this.apply(await stores.packs.rollout(tenant.name)).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  get(name: string): Tenant | undefined {
    return this.#tenants.get(name);
  }

  get all(): readonly Tenant[] {
    return [...this.#tenants.values()];
  }

  get size(): number {
    return this.#tenants.size;
  }

  /** Makes a tenant, or gives it other settings. @throws {HookwardenError} `option-invalid` */
  async put(record: TenantRecord): Promise<Tenant> {
    const { stores } = this.#options;
    this.#limitsOf(record);
    await stores.tenants.put(record);
    await this.#refresh(record.tenant);
    return this.#tenants.get(record.tenant) as Tenant;
  }

  /** Ends a tenant. @returns whether there was one. */
  async remove(name: string): Promise<boolean> {
    const was = await this.#options.stores.tenants.remove(name);
    const tenant = this.#tenants.get(name);
    this.#tenants.delete(name);
    await tenant?.close();
    return was;
  }

  /**
   * Brings a tenant to what the store says. Older news than what it has are dropped.
   *
   * @throws {HookwardenError} why the pack cannot serve; the one before goes on.
   */
  apply(rollout: Rollout): Promise<void> {
    return this.#inTurn(rollout.tenant, () => this.#apply(rollout));
  }

  /** A stored revision as a pack. Its content is held to the digest that was noted when it came. */
  async packOf(tenant: string, revision: number): Promise<LoadedPack> {
    const { packs } = this.#options.stores;
    const known = await packs.get(tenant, revision);
    const bytes = known && (await packs.bundle(tenant, revision));
    if (!known || !bytes) throw new HookwardenError("storage-failed", `revision ${revision} is not stored`);
    const opened = await openBundle(bytes, { trust: null });
    // Revisions that older versions stored have the digest of the file.
    const same = opened.digest === known.bundle || digestOfBytes(bytes) === known.bundle;
    if (!same || opened.pack.digest !== known.pack) {
      throw new HookwardenError("storage-failed", `revision ${revision} is not what was uploaded`);
    }
    const { requireReview } = this.#options;
    // Here too: what was stored before the server insisted, and what has been refused or has expired since.
    if (requireReview) await insistOnReview(requireReview, opened.pack, opened.list.name);
    return opened.pack;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watches.dispose();
    await Promise.all(this.#changing.values());
    await Promise.all(this.all.map((tenant) => tenant.close()));
  }

  /** Brings a tenant to its record, whoever has written that. */
  #refresh(name: string): Promise<void> {
    return this.#inTurn(name, async () => {
      const { stores } = this.#options;
      const record = await stores.tenants.get(name);
      const tenant = this.#tenants.get(name);
      if (record && tenant) return tenant.set(record, this.#limitsOf(record));
      if (record) {
        await this.#add(record);
        return this.#apply(await stores.packs.rollout(name)).catch(() => undefined);
      }
      this.#tenants.delete(name);
      await tenant?.close();
    });
  }

  #inTurn(tenant: string, work: () => Promise<void>): Promise<void> {
    const changing = (this.#changing.get(tenant) ?? Promise.resolve()).then(work);
    const settled = changing.catch(() => undefined);
    this.#changing.set(tenant, settled);
    void settled.then(() => {
      if (this.#changing.get(tenant) === settled) this.#changing.delete(tenant);
    });
    return changing;
  }

  async #add(record: TenantRecord): Promise<Tenant> {
    const tenant = new Tenant(record, this.#limitsOf(record), this.#options.parts);
    tenant.log = (await this.#options.openLog?.(tenant.name)) ?? null;
    this.#tenants.set(tenant.name, tenant);
    return tenant;
  }

  #limitsOf(record: TenantRecord): TenantLimits {
    return limitsFrom(tenantLimitTable, record.limits, this.#options.limits) as TenantLimits;
  }

  async #apply(rollout: Rollout): Promise<void> {
    const { tenant: name, generation, active, candidate } = rollout;
    const tenant = this.#tenants.get(name);
    if (!tenant || generation <= tenant.rollout.generation) return;
    try {
      if (active !== tenant.rollout.active || tenant.broken !== null) {
        await tenant.serve(active === null ? null : await this.packOf(name, active));
      }
      tenant.broken = null;
      const staged = candidate && candidate.revision !== tenant.candidate?.revision;
      await tenant.stage(candidate, staged ? await this.packOf(name, candidate.revision) : null);
      tenant.rollout = rollout;
      this.#options.onRollout(rollout);
    } catch (error) {
      tenant.broken = error instanceof HookwardenError ? error.code : "internal";
      this.#options.onBroken(name, error);
      throw error;
    }
  }
}
