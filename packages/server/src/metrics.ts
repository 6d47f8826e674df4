import { Counter, Gauge, Histogram, Registry as Metrics } from "prom-client";
import { faultTable } from "@hookwarden/sandbox";
import type { Decision } from "hookwarden/broker";
import type { Registry } from "./registry.ts";
import type { Lanes } from "./lanes.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Tenant } from "./tenant.ts";

/** Tenants that have a label of their own; all others are `other`. */
const labelledTenants = 200;

type Counts = Map<string, number>;

/** Gauges with the label `tenant`. */
const tenantGauges: readonly (readonly [name: string, help: string, value: (tenant: Tenant) => number])[] = [
  ["decisions", "decisions since the start", ({ decisions }) => decisions],
  ["faults", "failures of hooks since the start", ({ faults }) => faults],
  ["refused", "requests that were not decided, since the start", ({ refused }) => refused],
  ["cpu_ms", "run time of hooks in the last minute, in milliseconds", ({ cpu }) => cpu.ms],
  ["waiting", "decisions that wait in the queue", ({ waiting }) => waiting],
  ["generation", "generation of the rollout that serves", ({ rollout }) => rollout.generation],
];

/** What gauges of the whole server are read from. */
interface Sources {
  readonly registry: Registry;
  readonly lanes: Lanes;
  readonly quarantine: Quarantine;
}

/** Gauges of the whole server. */
const gauges: readonly (readonly [name: string, help: string, value: (of: Sources) => number])[] = [
  [
    "hookwarden_in_flight",
    "decisions in flight",
    ({ lanes }) => sum(lanes.all, ({ limiter }) => limiter.running),
  ],
  [
    "hookwarden_waiting",
    "decisions that wait in a queue",
    ({ lanes }) => sum(lanes.all, ({ limiter }) => limiter.waiting),
  ],
  ["hookwarden_quarantined_hooks", "hooks in quarantine", ({ quarantine }) => quarantine.list().length],
  [
    "hookwarden_degraded_tenants",
    "tenants in degraded mode",
    ({ registry }) => sum(registry.all, ({ degraded }) => Number(degraded !== null)),
  ],
  ["hookwarden_tenants", "tenants", ({ registry }) => registry.size],
  [
    "process_resident_memory_bytes",
    "memory of the server, without its sandboxes",
    () => process.memoryUsage.rss(),
  ],
  ["process_cpu_seconds_total", "processor time of the server, without its sandboxes", cpuSeconds],
];

/**
 * Metrics in the text format of Prometheus. Labels come from closed sets (events, verdicts, fault codes) and from the
 * names that operators gave to tenants, never from names or text of hooks, whose cardinality is unbounded.
 */
export class ServerMetrics {
  readonly #metrics = new Metrics();
  readonly #verdicts: Counts = new Map();
  readonly #faults: Counts = new Map();
  readonly #seconds: Histogram;
  readonly #responses: Counts = new Map();

  constructor(registry: Registry, lanes: Lanes, quarantine: Quarantine) {
    this.#seconds = new Histogram({
      name: "hookwarden_decision_seconds",
      help: "time from request to decision, waiting included",
      buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers: [this.#metrics],
    });
    this.#count("decisions", "decisions, by event and verdict", ["event", "verdict"], this.#verdicts);
    this.#count(
      "faults",
      "failures of hooks, by code and by who has to act",
      ["code", "blame"],
      this.#faults,
    );
    this.#count(
      "responses",
      "HTTP responses, by status; 499: the client hung up before its request was complete",
      ["status"],
      this.#responses,
    );
    for (const [name, help, value] of tenantGauges) this.#gaugeOfTenants(name, help, registry, value);
    const sources = { registry, lanes, quarantine };
    for (const [name, help, value] of gauges) {
      void new Gauge({
        name,
        help,
        registers: [this.#metrics],
        collect() {
          this.set(value(sources));
        },
      });
    }
  }

  #count(name: string, help: string, labelNames: readonly string[], counts: Counts): void {
    void new Counter({
      name: `hookwarden_${name}_total`,
      help,
      labelNames: [...labelNames],
      registers: [this.#metrics],
      collect() {
        this.reset();
        for (const [key, count] of counts) {
          const values = key.split(" ");
          this.inc(Object.fromEntries(labelNames.map((label, at) => [label, values[at] as string])), count);
        }
      },
    });
  }

  #gaugeOfTenants(name: string, help: string, registry: Registry, value: (tenant: Tenant) => number): void {
    void new Gauge({
      name: `hookwarden_tenant_${name}`,
      help,
      labelNames: ["tenant"],
      registers: [this.#metrics],
      collect() {
        this.reset();
        for (const [at, tenant] of registry.all.entries()) {
          this.inc({ tenant: at < labelledTenants ? tenant.name : "other" }, value(tenant));
        }
      },
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

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function sum<T>(all: readonly T[], value: (one: T) => number): number {
  return all.reduce((total, one) => total + value(one), 0);
}
