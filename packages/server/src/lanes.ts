import { access } from "node:fs/promises";
import { type EngineName, type Sandbox, type ContainmentMode, withParent } from "@hookwarden/sandbox";
import { schedulingLauncher, type ProcessSandboxOptions, settingsOf } from "@hookwarden/sandbox/process";
import { CircuitBreaker } from "@hookwarden/sandbox/resilience";
import { type Isolation, createSandbox } from "hookwarden/warden";
import { FairLimiter } from "./fair-limiter.ts";

export interface LaneOptions {
  readonly engine: EngineName;
  /** `shared`: processes serve all tenants, each with instances of its own. `tenant`: one tenant for each process. */
  readonly isolation: "shared" | "tenant";
  readonly processes?: Omit<ProcessSandboxOptions, "engine" | "pristine" | "tenantsPerProcess">;
  /** Walls around the processes; see docs/containment.md. Default: those of this process. */
  readonly containment?: ContainmentMode;
  /** For tests: the engine in this process. */
  readonly where?: Isolation;
}

/** Processes for hooks, and the queue before them. */
export interface Lane {
  readonly name: "fast" | "slow";
  /** For the slow lane this is the sandbox of the fast one until its own processes have been started, which this does. */
  readonly sandbox: Sandbox;
  readonly limiter: FairLimiter;
}

/** Decisions under way for each process: enough that calls travel in batches, few enough that no call waits long. */
const slotsPerProcess = 32;
/** Expected cost of one tenant's decisions under way, for each process, in microseconds. */
const loadUsPerProcess = 4_000;
/**
 * Maximum debt of a tenant, in microseconds. Time is measured by the clock, and the first calls of a hook, or calls on a
 * busy machine, take far longer than they cost.
 */
const maxDebtUs = 40_000;
/**
 * Processes that stand by: a hook that has killed one gets another for itself, and the tenants beside it must not wait
 * until a third has started.
 */
const sparesByDefault = 2;
/**
 * Processes by default where each is one tenant's, however few cores there are: the first long call of a tenant takes one
 * until it is ended, and the others need another one.
 */
const leastForTenants = 2;
/** Decisions under way in the slow lane. */
const slowSlots = 4;
/** Until it has processes of its own: one decision holds one of the fast lane's, and leaves the spares to the others. */
const slowSlotsAtStart = 1;
/** How long a process of the slow lane may take to start, which gives way to others, in milliseconds. */
const slowStartMs = 60_000;
/** How long after a failure its start is tried again, in milliseconds. */
const retryMs = 5_000;
/** Path of the program that lets others go first. */
const nice = "/usr/bin/nice";

/** When a tenant runs in the slow lane. */
const heavyLimits = {
  // One heavy call is enough, and calls in the slow lane show when it may leave.
  failures: 1,
  openMs: 10_000,
  maxOpenMs: 600_000,
  successes: 16,
  maxProbes: Infinity,
  rememberMs: 3_600_000,
  maxCircuits: 10_000,
} as const;

/**
 * Two sets of processes: `fast`, and `slow` for tenants whose hooks have taken long or had to be killed lately. A tenant
 * that sends loops then waits for its own loops; the processes of the slow lane also have a lower priority.
 */
export class Lanes implements AsyncDisposable {
  readonly fast: Lane;
  readonly slow: Lane;
  /** By tenant: a heavy call is a failure, and while the circuit is not closed the tenant runs in the slow lane. */
  readonly heavy = new CircuitBreaker(heavyLimits);
  readonly #options: LaneOptions;
  #slowSandbox: Sandbox | null = null;
  #starting: Promise<void> | null = null;
  #retryAt = 0;
  #closed = false;

  private constructor(fast: Lane, options: LaneOptions) {
    this.fast = fast;
    this.#options = options;
    const sandbox = (): Sandbox => {
      if (!this.#slowSandbox && !this.#closed) this.#startSoon();
      return this.#slowSandbox ?? fast.sandbox;
    };
    this.slow = {
      name: "slow",
      limiter: new FairLimiter({ slots: slowSlotsAtStart, maxLoadUs: loadUsPerProcess, maxDebtUs }),
      get sandbox() {
        return sandbox();
      },
    };
  }

  /** @throws {HookwardenError} `engine-missing`, `option-invalid` */
  static async open(options: LaneOptions): Promise<Lanes> {
    const { processes: usual } = settingsOf({ ...options.processes, engine: options.engine });
    const isForTenants = options.isolation === "tenant";
    const isChosen = options.processes?.processes !== undefined;
    const processes = isForTenants && !isChosen ? Math.max(usual, leastForTenants) : usual;
    const sandbox = await sandboxOf(options, { ...options.processes, processes });
    const limits = { slots: slotsPerProcess * processes, maxLoadUs: loadUsPerProcess * processes, maxDebtUs };
    const lanes = new Lanes({ name: "fast", sandbox, limiter: new FairLimiter(limits) }, options);
    // Where a process is one tenant's, a slow one that is let into the fast lane takes another one's away.
    if (isForTenants) lanes.#startSoon();
    return lanes;
  }

  /** Frees what is kept for a program. */
  forget(programKey: string): void {
    this.fast.sandbox.forget(programKey);
    this.#slowSandbox?.forget(programKey);
  }

  get all(): readonly Lane[] {
    return [this.fast, this.slow];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.#starting;
    await Promise.all([this.fast.sandbox[Symbol.asyncDispose](), this.#slowSandbox?.[Symbol.asyncDispose]()]);
  }

  async #start(): Promise<void> {
    const { processes: given = {} } = this.#options;
    const sandbox = await sandboxOf(this.#options, {
      ...given,
      processes: 1,
      spares: Math.min(1, given.spares ?? 1),
      startMs: slowStartMs,
      launcher: await givingWay({ containment: this.#options.containment, ...given }),
    });
    if (this.#closed) return sandbox[Symbol.asyncDispose]();
    this.#slowSandbox = sandbox;
    this.slow.limiter.slots = slowSlots;
  }

  #startSoon(): void {
    if (this.#starting || performance.now() < this.#retryAt) return;
    this.#starting = this.#start()
      .catch(() => {
        this.#retryAt = performance.now() + retryMs;
      })
      .finally(() => {
        this.#starting = null;
      });
  }
}

function sandboxOf(
  { engine, isolation, containment, where = "process" }: LaneOptions,
  processes: NonNullable<LaneOptions["processes"]>,
): Promise<Sandbox> {
  const tenantsPerProcess = isolation === "tenant" ? "one" : "shared";
  return createSandbox(
    {
      engine,
      isolation: where,
      ...(containment === undefined ? {} : { containment }),
      processes: { gather: true, spares: sparesByDefault, ...processes, tenantsPerProcess },
    },
    () => undefined,
  );
}

/** The launcher with a lower priority before it, where the system has the program for that. */
async function givingWay({
  launcher: given,
  containment,
}: {
  readonly launcher?: readonly string[];
  readonly containment?: ContainmentMode | undefined;
}): Promise<readonly string[]> {
  const usual = async (): Promise<readonly string[]> => [
    ...(await schedulingLauncher(true)),
    // Behind a launcher, nothing else ends an uncontained child with its parent.
    ...(containment === "none" ? await withParent() : []),
  ];
  const launcher = given ?? (await usual());
  try {
    await access(nice);
    return [nice, "-n", "10", ...launcher];
  } catch {
    return launcher;
  }
}
