import type { Limits } from "../limits.ts";
import { Instance } from "./instance.ts";
import type { World } from "./world.ts";

/** An isolate with what its user keeps beside it. */
export interface Pooled<Kept> {
  readonly slot: string;
  readonly instance: Instance;
  readonly kept: Kept;
}

/** Isolates by slot, which is what may share one: a tenant and the limits that an isolate is made for. */
export class IsolatePool<Kept> {
  readonly #world: World;
  readonly #maxInstances: number;
  readonly #roomMb: number;
  readonly #isolates = new Map<string, Pooled<Kept>>();

  /** @param roomMb memory for more programs than one, in MiB */
  constructor(world: World, { maxInstances, roomMb }: { maxInstances: number; roomMb: number }) {
    this.#world = world;
    this.#maxInstances = maxInstances;
    this.#roomMb = roomMb;
  }

  find(slot: string): Pooled<Kept> | undefined {
    return this.#isolates.get(slot);
  }

  /** Makes an isolate; the oldest one makes room for it. */
  create(slot: string, limits: Limits, keep: (instance: Instance) => Kept): Pooled<Kept> {
    if (this.#isolates.size >= this.#maxInstances) {
      const [oldest] = this.#isolates.values();
      if (oldest) this.remove(oldest);
    }
    const instance = new Instance(this.#world, limits, this.#roomMb);
    const pooled: Pooled<Kept> = { slot, instance, kept: keep(instance) };
    this.#isolates.set(slot, pooled);
    return pooled;
  }

  /** Disposes of an isolate. */
  remove({ slot, instance }: Pooled<Kept>): void {
    if (this.#isolates.get(slot)?.instance === instance) this.#isolates.delete(slot);
    if (instance.healthy) instance.dispose();
  }

  all(): Iterable<Pooled<Kept>> {
    return this.#isolates.values();
  }

  dispose(): void {
    for (const { instance } of this.#isolates.values()) instance.dispose();
    this.#isolates.clear();
  }
}

/** Calls in one slot share an isolate. */
export function slotOf(tenant: string, limits: Limits): string {
  return `${limits.memoryKb}/${limits.stackKb}\n${tenant}`;
}

/** What a loaded program is known by: its key, and the limits that it depends on. */
export function loadKey(programKey: string, limits: Limits): string {
  return `${limits.memoryKb}/${limits.stackKb}/${limits.logBytes}/${limits.outputBytes}/${limits.outputDepth}\n${programKey}`;
}
