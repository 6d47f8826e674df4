import type { NewRevision, PackRevision, PackStore, RolloutChange, RolloutStep } from "../storage.ts";
import type { Rollout } from "../rollout.ts";
import type { BundleObjects } from "./bundle-objects.ts";
import { tokenOf } from "./names.ts";
import type { Registry } from "./registry.ts";

/** Most changes that are remembered of a tenant. */
const historyLength = 100;

/** What the fleet knows of the packs that serve a tenant. */
interface Serving extends Rollout {
  readonly history: readonly RolloutChange[];
}

/** A revision, and where its bytes are. */
interface StoredRevision extends PackRevision {
  /** `sha256:` of the bytes. Absent in old records, whose `bundle` is that. */
  readonly file?: string;
}

function withoutFile(stored: StoredRevision): PackRevision {
  const { file: _, ...revision } = stored;
  return revision;
}

/**
 * The packs of a fleet: bundles in the object store by digest, and signed records that say which bundle is which
 * revision and which revision serves. A generation is never taken back: the record of a rollout has a higher version
 * with each change, and nodes take no lower one, after a restart either.
 */
export class NatsPackStore implements PackStore {
  readonly #registry: Registry;
  readonly #objects: BundleObjects;

  constructor(registry: Registry, objects: BundleObjects) {
    this.#registry = registry;
    this.#objects = objects;
  }

  async put(revision: NewRevision, bundle: Uint8Array): Promise<PackRevision> {
    const file = await this.#objects.put(bundle);
    const created = new Date().toISOString();
    let stored: StoredRevision | null = null;
    // The number is given by making its record, which only one can.
    for (let next = this.#highest(revision.tenant) + 1; !stored; next++) {
      const made = { ...revision, revision: next, created, file };
      const done = await this.#registry.change(revisionKey(revision.tenant, next), (before) =>
        before === null ? made : undefined,
      );
      if (done !== undefined) stored = made;
    }
    return withoutFile(stored);
  }

  get(tenant: string, revision: number): PackRevision | null {
    const found = this.#stored(tenant, revision);
    return found && withoutFile(found);
  }

  async bundle(tenant: string, revision: number): Promise<Uint8Array | null> {
    const found = this.#stored(tenant, revision);
    return found && this.#objects.get(found.file ?? found.bundle);
  }

  list(tenant: string, limit: number): readonly PackRevision[] {
    const all = this.#registry
      .list(revisionPrefix(tenant))
      .map(({ value }) => withoutFile(value as StoredRevision));
    return all.sort((one, other) => other.revision - one.revision).slice(0, limit);
  }

  #stored(tenant: string, revision: number): StoredRevision | null {
    return this.#registry.get(revisionKey(tenant, revision)) as StoredRevision | null;
  }

  rollout(tenant: string): Rollout {
    const found = this.#registry.get(rolloutKey(tenant)) as Serving | null;
    return found ? withoutHistory(found) : { tenant, generation: 0, active: null, candidate: null };
  }

  async change(tenant: string, step: RolloutStep): Promise<Rollout | null> {
    const changed = await this.#registry.change(rolloutKey(tenant), (before) => {
      const { generation, history } = (before as Serving | null) ?? { generation: 0, history: [] };
      if (step.expected !== undefined && step.expected !== generation) return undefined;
      const { what, active, candidate, by } = step;
      const next: Rollout = { tenant, generation: generation + 1, active, candidate };
      const change: RolloutChange = { ...next, what, at: new Date().toISOString(), by };
      return { ...next, history: [change, ...history].slice(0, historyLength) };
    });
    return changed === undefined ? null : withoutHistory(changed as Serving);
  }

  history(tenant: string, limit: number): readonly RolloutChange[] {
    const found = this.#registry.get(rolloutKey(tenant)) as Serving | null;
    return found ? found.history.slice(0, limit) : [];
  }

  watch(listener: (rollout: Rollout) => void): Disposable {
    return this.#registry.watch(({ key, value }) => {
      if (key.startsWith("rollout.") && value !== null) listener(withoutHistory(value as Serving));
    });
  }

  #highest(tenant: string): number {
    return this.list(tenant, 1)[0]?.revision ?? 0;
  }
}

function withoutHistory({ tenant, generation, active, candidate }: Serving): Rollout {
  return { tenant, generation, active, candidate };
}

function revisionPrefix(tenant: string): string {
  return `revision.${tokenOf(tenant)}.`;
}

function revisionKey(tenant: string, revision: number): string {
  return `${revisionPrefix(tenant)}${revision}`;
}

function rolloutKey(tenant: string): string {
  return `rollout.${tokenOf(tenant)}`;
}
