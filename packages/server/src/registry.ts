import { sha256 } from "hookwarden/files";
import { HookwardenError } from "hookwarden/errors";
import type { LoadedPack } from "hookwarden/pack";
import type { DegradedWindows } from "./degraded-windows.ts";
import { Problem } from "./problem.ts";
import type { BundleGate } from "./tenancy/bundle-gate.ts";
import { enforce } from "./tenancy/enforce.ts";
import type { Use } from "./tenancy/uses.ts";
import { limitsFrom, tenantLimitTable } from "./limits.ts";
import type { Stores } from "./storage.ts";
import type { Rollout } from "./rollout.ts";
import { Tenant, type TenantParts } from "./tenant.ts";
import type { TenantLimits, TenantRecord } from "./tenants.ts";

export interface RegistryOptions {
  readonly stores: Stores;
  readonly gate: BundleGate;
  readonly parts: TenantParts;
  /** Limits where a tenant's record says nothing else. */
  readonly limits: TenantLimits;
  /** Opens a tenant's audit, where one is kept. */
  readonly openLog: ((tenant: string) => Promise<Tenant["log"]>) | null;
  readonly degraded: DegradedWindows;
  readonly onRollout: (rollout: Rollout) => void;
  /** A pack that should serve, or be on trial, does not. */
  readonly onBroken: (tenant: string, error: unknown) => void;
}

/** Packs that are loaded at the same time while the server starts. */
const concurrency = 8;

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
    await Promise.all(Array.from({ length: concurrency }, worker));
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
    await this.#end(name);
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

  /**
   * A stored revision as a pack that the tenant may have now: its content is held to the digest that was noted at upload,
   * its signature to the trust file as it is now, its hooks to the tenant's limits and to the required reviews.
   *
   * @param beside hooks of another pack that is resident at the same time.
   * @throws {HookwardenError} or `Problem`: why it may not be used.
   */
  async packOf(use: Use, { name, record }: Tenant, revision: number, beside = 0): Promise<LoadedPack> {
    const { stores, gate } = this.#options;
    const known = await stores.packs.get(name, revision);
    const bytes = known && (await stores.packs.bundle(name, revision));
    if (!known || !bytes) throw new HookwardenError("storage-failed", `revision ${revision} is not stored`);
    const { opened, trustedKey } = await gate.open(bytes, record.signedOnly, { signedBy: known.signedBy });
    // Revisions that older versions stored have the digest of the file.
    const same = opened.digest === known.bundle || sha256(bytes) === known.bundle;
    if (!same || opened.pack.digest !== known.pack) {
      throw new HookwardenError("storage-failed", `revision ${revision} is not what was uploaded`);
    }
    await gate.review(opened);
    // The settings may have changed while it was opened.
    const tenant = this.#tenants.get(name);
    if (!tenant) throw new Problem("not-found");
    enforce(use, "pack", tenant, { hooks: opened.pack.hooks, trusted: trustedKey !== null, beside });
    return opened.pack;
  }

  /**
   * Holds what serves, and what is on trial, to the trust file, the reviews and the limits as they are now. What may no
   * longer serve stops at once.
   */
  async revalidate(): Promise<void> {
    const pending = this.all.map(({ name }) => name);
    const worker = async (): Promise<void> => {
      for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
        const rollout = await this.#options.stores.packs.rollout(name);
        await this.#inTurn(name, () => this.#apply(rollout, true)).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watches.dispose();
    await Promise.all(this.#changing.values());
    await Promise.all(this.all.map((tenant) => tenant.close()));
  }

  /** Reconciles a tenant with its stored record. */
  #refresh(name: string): Promise<void> {
    return this.#inTurn(name, async () => {
      const { stores } = this.#options;
      const record = await stores.tenants.get(name);
      const tenant = this.#tenants.get(name);
      if (record && tenant) {
        const limits = this.#limitsOf(record);
        const isHeldAnew = packSettings(tenant.record, tenant.limits) !== packSettings(record, limits);
        tenant.set(record, limits);
        await this.#options.degraded.follow(tenant);
        if (!isHeldAnew && tenant.broken === null) return;
        return this.#apply(await stores.packs.rollout(name), true).catch(() => undefined);
      }
      if (record) {
        await this.#add(record);
        return this.#apply(await stores.packs.rollout(name)).catch(() => undefined);
      }
      return this.#end(name);
    });
  }

  async #end(name: string): Promise<void> {
    const tenant = this.#tenants.get(name);
    this.#tenants.delete(name);
    this.#options.degraded.forget(name);
    await tenant?.close();
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
    await this.#options.degraded.follow(tenant);
    return tenant;
  }

  #limitsOf(record: TenantRecord): TenantLimits {
    return limitsFrom(tenantLimitTable, record.limits, this.#options.limits) as TenantLimits;
  }

  /** @param anew whether what serves already is held to the tenant's settings once more. */
  async #apply(rollout: Rollout, anew = false): Promise<void> {
    const { tenant: name, generation, active } = rollout;
    const tenant = this.#tenants.get(name);
    if (!tenant || generation < tenant.rollout.generation) return;
    if (generation === tenant.rollout.generation && !anew) return;
    try {
      if (anew || active !== tenant.rollout.active || tenant.broken !== null) {
        await tenant.serve(active === null ? null : await this.packOf("serve", tenant, active));
      }
      tenant.broken = null;
    } catch (error) {
      tenant.broken = error instanceof HookwardenError || error instanceof Problem ? error.code : "internal";
      this.#options.onBroken(name, error);
      // What the tenant may not have does not serve, and nothing else does in its place: every event is refused.
      if (isRefusal(error)) {
        await tenant.stage(null, null);
        await tenant.serve(null);
      }
      throw error;
    }
    await this.#stage(tenant, rollout, anew);
    const isNews = generation > tenant.rollout.generation;
    tenant.rollout = rollout;
    if (isNews) this.#options.onRollout(rollout);
  }

  /** Puts the candidate on trial. One that may not be there leaves the pack that serves alone. */
  async #stage(tenant: Tenant, { candidate }: Rollout, anew: boolean): Promise<void> {
    try {
      const isNew = candidate && (anew || candidate.revision !== tenant.candidate?.revision);
      const beside = tenant.pack?.hooks.length ?? 0;
      const pack = isNew ? await this.packOf("serve", tenant, candidate.revision, beside) : null;
      await tenant.stage(candidate, pack);
    } catch (error) {
      await tenant.stage(null, null);
      this.#options.onBroken(tenant.name, error);
    }
  }
}

/** Whether a pack is refused for what it is, and was not merely impossible to load or to check at the moment. */
function isRefusal(error: unknown): boolean {
  if (error instanceof Problem) return error.code !== "trust-unavailable";
  return error instanceof HookwardenError && refusals.has(error.code);
}

const refusals: ReadonlySet<string> = new Set([
  "bundle-untrusted",
  "bundle-rollback",
  "bundle-invalid",
  "review-required",
]);

/** What of a tenant's settings a pack is held to. */
function packSettings({ signedOnly }: TenantRecord, { memoryKb, residentHooks }: TenantLimits): string {
  return `${signedOnly} ${memoryKb} ${residentHooks}`;
}
