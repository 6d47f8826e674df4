import { packageVersion } from "hookwarden/log";
import type { Feed } from "./feed.ts";
import { LatencyWindow } from "./histogram.ts";
import type { Lanes } from "./lanes.ts";
import type { Operator, Overview } from "./operator.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Registry } from "./registry.ts";
import type { Tenant } from "./tenant.ts";
import type { FaultView, HookView, LatencyView, LiveEvent, QuarantineEntry, TenantView } from "./tenants.ts";

export interface OperatorParts {
  readonly node: string;
  readonly registry: Registry;
  readonly lanes: Lanes;
  readonly quarantine: Quarantine;
  readonly feed: Feed;
  readonly lifecycle: { readonly isReady: boolean };
}

/** What operators see and do, from what runs. */
export class OperatorView implements Operator {
  /** Of all tenants together. */
  readonly latencies = new LatencyWindow();
  readonly #parts: OperatorParts;
  readonly #started = new Date().toISOString();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  overview(): Overview {
    const { node, registry, lanes, quarantine, lifecycle } = this.#parts;
    const { all } = registry;
    return {
      version: packageVersion,
      node,
      started: this.#started,
      ready: lifecycle.isReady,
      engine: lanes.fast.sandbox.version,
      tenants: all.length,
      decisions: sum(all, ({ decisions }) => decisions),
      faults: sum(all, ({ faults }) => faults),
      in_flight: sum(lanes.all, ({ limiter }) => limiter.running),
      waiting: sum(lanes.all, ({ limiter }) => limiter.waiting),
      quarantined: quarantine.list().length,
      degraded: all.filter(({ degraded }) => degraded !== null).length,
      rss_bytes: process.memoryUsage.rss(),
      latency: this.latencies.view(),
    };
  }

  async tenants(): Promise<readonly TenantView[]> {
    return this.#parts.registry.all.map((tenant) => this.tenant(tenant));
  }

  tenant(tenant: Tenant): TenantView {
    return {
      ...tenant.record,
      degraded: tenant.degraded,
      effective: tenant.limits,
      rollout: tenant.rollout,
      pack: tenant.pack?.digest ?? null,
      hooks: tenant.pack?.hooks.length ?? 0,
      decisions: tenant.decisions,
      faults: tenant.faults,
      refused: tenant.refused,
      in_flight: tenant.inFlight,
      waiting: tenant.waiting,
      cpu_ms: Math.round(tenant.cpu.ms),
      quarantined: this.#parts.quarantine.list(tenant.name).length,
      lane: tenant.lane,
      latency: tenant.latency.view(),
    };
  }

  hooks(tenant?: string): readonly HookView[] {
    const { registry } = this.#parts;
    if (tenant === undefined) return registry.all.flatMap((one) => one.hooks());
    return registry.get(tenant)?.hooks() ?? [];
  }

  faults(tenant?: string, limit = 100): readonly FaultView[] {
    return this.#parts.feed.faults(tenant, limit);
  }

  quarantine(tenant?: string): readonly QuarantineEntry[] {
    return this.#parts.quarantine.list(tenant);
  }

  lift(id: string): Promise<boolean> {
    return this.#parts.quarantine.lift(id);
  }

  latency(): { readonly all: LatencyView; readonly tenants: { readonly [tenant: string]: LatencyView } } {
    const tenants = this.#parts.registry.all.map(({ name, latency }): [string, LatencyView] => [
      name,
      latency.view(),
    ]);
    return { all: this.latencies.view(), tenants: Object.fromEntries(tenants) };
  }

  watch(listener: (event: LiveEvent) => void, tenant?: string): Disposable {
    return this.#parts.feed.watch(listener, tenant);
  }
}

function sum<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0);
}
