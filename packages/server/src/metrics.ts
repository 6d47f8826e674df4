import { Counter, Gauge, Histogram, Registry as Metrics } from "prom-client";
import { faultTable } from "@hookwarden/sandbox";
import type { Decision } from "hookwarden/broker";
import type { Registry } from "./registry.ts";
import type { Lanes } from "./lanes.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Tenant } from "./tenant.ts";

/** Tenants that have a label of their own; all others are `other`. */
const labelledTenants = 200;

/**
 * Metrics in the text format of Prometheus. Labels come from closed sets (events, verdicts, fault codes) and from the
 * names that operators gave to tenants; names and words of hooks are in no label, since those could be of any number.
 */
export class ServerMetrics {
  readonly #metrics = new Metrics();
  readonly #verdicts = new Map<string, number>();
  readonly #faults = new Map<string, number>();
  readonly #seconds: Histogram;
  readonly #responses = new Map<string, number>();

  constructor(registry: Registry, lanes: Lanes, quarantine: Quarantine) {
    const registers = [this.#metrics];
    this.#seconds = new Histogram({
      name: "hookwarden_decision_seconds",
      help: "time from request to decision, waiting included",
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    });
    const counted = (
      name: string,
      help: string,
      names: readonly string[],
      of: ReadonlyMap<string, number>,
    ): void => {
      void new Counter({
        name,
        help,
        labelNames: [...names],
        registers,
        collect() {
          this.reset();
          for (const [key, count] of of) {
            const values = key.split(" ");
            this.inc(Object.fromEntries(names.map((label, at) => [label, values[at] as string])), count);
          }
        },
      });
    };
    counted(
      "hookwarden_decisions_total",
      "decisions, by event and verdict",
      ["event", "verdict"],
      this.#verdicts,
    );
    counted(
      "hookwarden_faults_total",
      "failures of hooks, by code and by who has to act",
      ["code", "blame"],
      this.#faults,
    );
    counted(
      "hookwarden_responses_total",
      "answers over HTTP, by status; 499: the client hung up before its request was complete",
      ["status"],
      this.#responses,
    );
    const perTenant = (name: string, help: string, value: (tenant: Tenant) => number): void => {
      void new Gauge({
        name,
        help,
        labelNames: ["tenant"],
        registers,
        collect() {
          this.reset();
          for (const [at, tenant] of registry.all.entries()) {
            this.inc({ tenant: at < labelledTenants ? tenant.name : "other" }, value(tenant));
          }
        },
      });
    };
    perTenant("hookwarden_tenant_decisions", "decisions since the start", ({ decisions }) => decisions);
    perTenant("hookwarden_tenant_faults", "failures of hooks since the start", ({ faults }) => faults);
    perTenant(
      "hookwarden_tenant_refused",
      "requests that were not decided, since the start",
      ({ refused }) => refused,
    );
    perTenant(
      "hookwarden_tenant_cpu_ms",
      "time of hooks in the last minute, in milliseconds",
      ({ cpu }) => cpu.ms,
    );
    perTenant("hookwarden_tenant_waiting", "decisions that wait for their turn", ({ waiting }) => waiting);
    perTenant(
      "hookwarden_tenant_generation",
      "generation of the rollout that serves",
      ({ rollout }) => rollout.generation,
    );
    const gauge = (name: string, help: string, value: () => number): void => {
      void new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(value());
        },
      });
    };
    gauge("hookwarden_in_flight", "decisions under way", () => sum(lanes.all, ({ queue }) => queue.running));
    gauge("hookwarden_waiting", "decisions that wait", () => sum(lanes.all, ({ queue }) => queue.waiting));
    gauge("hookwarden_quarantined_hooks", "hooks in quarantine", () => quarantine.list().length);
    gauge("hookwarden_tenants", "tenants", () => registry.size);
    gauge("process_resident_memory_bytes", "memory of the server, its sandboxes not counted", () =>
      process.memoryUsage.rss(),
    );
    gauge("process_cpu_seconds_total", "time of the server, its sandboxes not counted", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  }

  decision(decision: Decision, us: number): void {
    this.#seconds.observe(us / 1e6);
    add(this.#verdicts, `${decision.hook_event_name} ${decision.verdict}`);
    for (const { fault } of decision.trace) {
      if (fault) add(this.#faults, `${fault.code} ${faultTable[fault.code].blame}`);
    }
  }

  response(status: number): void {
    add(this.#responses, String(status));
  }

  /** A client hung up before its request had come whole: it got no answer. */
  clientClosed(): void {
    add(this.#responses, "499");
  }

  get contentType(): string {
    return this.#metrics.contentType;
  }

  text(): Promise<string> {
    return this.#metrics.metrics();
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0);
}
