import { Problem } from "./problem.ts";
import type { Registry } from "./registry.ts";
import type { PackStore, RolloutStep } from "./storage.ts";
import type { Rollout } from "./rollout.ts";
import type { Tenant } from "./tenant.ts";

/** Which revision is to decide, or to go on trial. */
export interface ActivationStep {
  readonly revision: number;
  /** Id of the credential. */
  readonly by: string;
  /** Share of events for a trial; absent: it decides at once. */
  readonly percent?: number | undefined;
  /** Generation that this was decided on; where another change came first, nothing is done. */
  readonly expected?: number | undefined;
}

/** Changes what serves a tenant: in the store first, then here. */
export class Rollouts {
  readonly #packs: PackStore;
  readonly #registry: Registry;

  constructor(packs: PackStore, registry: Registry) {
    this.#packs = packs;
    this.#registry = registry;
  }

  /** Lets a revision decide at once; with `percent` it goes on trial instead. */
  async activate(tenant: Tenant, { revision, by, percent, expected }: ActivationStep): Promise<Rollout> {
    if (!(await this.#packs.get(tenant.name, revision))) throw new Problem("not-found");
    const before = await this.#packs.rollout(tenant.name);
    const staged = percent === undefined ? null : { revision, percent };
    if (staged && before.active === null) throw new Problem("no-pack");
    // Opened before anything is written: what may not serve, or cannot be loaded, never comes to serve.
    await this.#registry.packOf("change", tenant, revision, staged ? (tenant.pack?.hooks.length ?? 0) : 0);
    return this.#change(tenant, {
      what: staged ? "stage" : "activate",
      active: staged ? before.active : revision,
      candidate: staged,
      by,
      expected: expected ?? before.generation,
    });
  }

  /** Goes back to a revision that served before; without one, to the one before the present. */
  async rollback(tenant: Tenant, by: string, to?: number): Promise<Rollout> {
    const before = await this.#packs.rollout(tenant.name);
    const served = (await this.#packs.history(tenant.name, 1_000)).map(({ active }) => active);
    const revision = to ?? served.find((active) => active !== null && active !== before.active);
    if (revision == null || !served.includes(revision)) throw new Problem("not-found");
    await this.#registry.packOf("change", tenant, revision);
    return this.#change(tenant, {
      what: "rollback",
      active: revision,
      candidate: null,
      by,
      expected: before.generation,
    });
  }

  /** Ends a trial. */
  async withdraw(tenant: Tenant, by: string): Promise<Rollout> {
    const { active, candidate, generation } = await this.#packs.rollout(tenant.name);
    if (!candidate) throw new Problem("not-found");
    return this.#change(tenant, { what: "withdraw", active, candidate: null, by, expected: generation });
  }

  /** Leaves the tenant without a pack: from then on every event is refused. */
  async remove(tenant: Tenant, by: string): Promise<Rollout> {
    const { active, generation } = await this.#packs.rollout(tenant.name);
    if (active === null) throw new Problem("not-found");
    return this.#change(tenant, { what: "remove", active: null, candidate: null, by, expected: generation });
  }

  async #change(tenant: Tenant, step: RolloutStep): Promise<Rollout> {
    const rollout = await this.#packs.change(tenant.name, step);
    if (!rollout) throw new Problem("conflict");
    await this.#registry.apply(rollout);
    return rollout;
  }
}
