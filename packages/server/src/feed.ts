import type { FaultView, LiveEvent } from "./tenants.ts";

/** Faults kept per tenant. */
const maxFaults = 100;

interface Listener {
  readonly listen: (event: LiveEvent) => void;
  readonly tenant: string | undefined;
}

/** Publishes live events to operators. Without subscribers no events are built. */
export class Feed {
  readonly #listeners = new Set<Listener>();
  readonly #faults = new Map<string, FaultView[]>();

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  watch(listen: (event: LiveEvent) => void, tenant?: string): Disposable {
    const listener = { listen, tenant };
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  publish(event: LiveEvent): void {
    for (const listener of this.#listeners) {
      if (listener.tenant !== undefined && "tenant" in event && event.tenant !== listener.tenant) continue;
      try {
        listener.listen(event);
      } catch {
        // A listener that throws is unsubscribed.
        this.#listeners.delete(listener);
      }
    }
  }

  fault(fault: FaultView): void {
    const kept = this.#faults.get(fault.tenant) ?? [];
    if (kept.length === 0) this.#faults.set(fault.tenant, kept);
    if (kept.push(fault) > maxFaults) kept.shift();
    if (this.hasListeners) this.publish({ type: "fault", ...fault });
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
