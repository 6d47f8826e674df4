import type { FaultView, LiveEvent } from "./tenants.ts";

/** Faults that are kept for whoever looks later, for each tenant. */
const faultsKept = 100;

interface Listener {
  readonly tell: (event: LiveEvent) => void;
  readonly tenant: string | undefined;
}

/** What happens, for operators who watch. Nothing is made for it while nobody does. */
export class Feed {
  readonly #listeners = new Set<Listener>();
  readonly #faults = new Map<string, FaultView[]>();

  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  watch(tell: (event: LiveEvent) => void, tenant?: string): Disposable {
    const listener = { tell, tenant };
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  tell(event: LiveEvent): void {
    for (const listener of this.#listeners) {
      if (listener.tenant !== undefined && "tenant" in event && event.tenant !== listener.tenant) continue;
      try {
        listener.tell(event);
      } catch {
        // Who cannot listen is not told any more.
        this.#listeners.delete(listener);
      }
    }
  }

  fault(fault: FaultView): void {
    const kept = this.#faults.get(fault.tenant) ?? [];
    if (kept.length === 0) this.#faults.set(fault.tenant, kept);
    if (kept.push(fault) > faultsKept) kept.shift();
    if (this.isWatched) this.tell({ type: "fault", ...fault });
  }

  /** The newest first. */
  faults(tenant: string | undefined, limit: number): FaultView[] {
    const kept = tenant === undefined ? [...this.#faults.values()].flat() : (this.#faults.get(tenant) ?? []);
    return kept.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0)).slice(0, limit);
  }

  forget(tenant: string): void {
    this.#faults.delete(tenant);
  }
}
