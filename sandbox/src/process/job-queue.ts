import { CircuitBreaker } from "../resilience/circuit-breaker.ts";
import { FairQueue, Flow } from "../resilience/fair-queue.ts";
import type { Job } from "./job.ts";
import type { Settings } from "./options.ts";

/** How long a program that has crashed a child runs in the dedicated child only, in milliseconds. */
const isolationMs = 60_000;
/** Maximum number of such programs. */
const maxIsolated = 1_024;
/** Above this number of flows, idle ones are dropped. */
const maxFlows = 1_024;

/**
 * The jobs that wait for a child: one fair queue in which tenants share by time used. Programs with a crash history wait
 * in flows of their own, because they run in one dedicated child: other jobs of their tenant do not wait for that one.
 */
export class JobQueue {
  readonly #queue: FairQueue<Job>;
  readonly #flows = new Map<string, Flow<Job>>();
  readonly #crashes = new CircuitBreaker({
    failures: 1,
    openMs: isolationMs,
    maxCircuits: maxIsolated,
    now: () => performance.now(),
  });
  readonly #settings: Pick<Settings, "queueLimit" | "queueBytes">;
  #jobs = 0;
  #bytes = 0;

  /** @param start sends a job to a child; `false` if it has to wait, `"dropped"` if it was settled without one. */
  constructor(
    settings: Pick<Settings, "queueLimit" | "queueBytes">,
    start: (job: Job) => boolean | "dropped",
  ) {
    this.#settings = settings;
    this.#queue = new FairQueue({ start });
  }

  /** Number of jobs that wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Number of jobs that wait or run. */
  get jobs(): number {
    return this.#jobs;
  }

  /** Whether the program has crashed a child recently. */
  isIsolated({ program }: Job): boolean {
    return this.#crashes.size > 0 && this.#crashes.state(program.key) === "open";
  }

  /** Whether a tenant has jobs that wait. */
  hasWaiting(tenant: string): boolean {
    return (this.#flows.get(tenant)?.waiting.length ?? 0) > 0;
  }

  /** Whether another tenant has jobs that wait. */
  othersWait(tenant: string): boolean {
    for (const { waiting } of this.#queue.active) if (waiting.peek()?.tenant !== tenant) return true;
    return false;
  }

  /**
   * Makes room for a job. If the queue is full, the tenant with the most waiting loses its newest jobs.
   *
   * @returns why there is no room; `null` if there is.
   */
  makeRoom(tenant: string, bytes: number): string | null {
    const { queueLimit, queueBytes } = this.#settings;
    for (;;) {
      const isFull = this.#jobs >= queueLimit;
      if (!isFull && (this.#jobs === 0 || this.#bytes + bytes <= queueBytes)) return null;
      const why = isFull
        ? `${this.#jobs} calls are waiting already`
        : `calls with ${this.#bytes} bytes are waiting already`;
      const evicted = this.#evict(tenant, isFull ? () => 1 : (job) => job.bytes);
      if (!evicted) return why;
      evicted.fail("overloaded", `${why}, most of them of this tenant`);
    }
  }

  /** Starts a job, or lets it wait. */
  submit(job: Job): void {
    this.#jobs++;
    this.#bytes += job.bytes;
    const flow = this.#assign(job);
    if (!this.#queue.tryStart(flow, job) && !job.isSettled) this.#queue.push(flow, job);
  }

  /** Puts jobs that had been sent to a child back, before the others of their tenants. */
  giveBack(jobs: readonly Job[]): void {
    if (jobs.length === 0) return;
    for (const { flow } of jobs) if (flow) this.#queue.cancel(flow);
    for (const [flow, own] of Map.groupBy(jobs, (job) => this.#assign(job))) this.#queue.requeue(flow, own);
  }

  /** Charges a running job for the time since the last charge, in microseconds. */
  charge({ flow }: Job, us: number): void {
    if (flow) this.#queue.charge(flow, us);
  }

  /** Ends a job that was sent to a child. `us`: the time that it took there, `chargedUs`: the part charged already. */
  finish(job: Job, us: number, chargedUs: number): void {
    if (job.flow) this.#queue.finish(job.flow, us, chargedUs);
    if (this.#crashes.size > 0) this.#crashes.success(job.program.key);
  }

  /** Ends a job that was sent to a child and did not run. */
  cancel({ flow }: Job): void {
    if (flow) this.#queue.cancel(flow);
  }

  /** Notes that a job is over. */
  settled(job: Job): void {
    this.#jobs--;
    this.#bytes -= job.bytes;
  }

  /** Isolates a program that has crashed a child. */
  crashed({ program }: Job): void {
    if (!this.#crashes.failure(program.key)) return;
    const moved = this.#queue.remove((job) => job.program.key === program.key);
    for (const job of moved) this.#queue.push(this.#assign(job), job);
  }

  forget(programKey: string): void {
    this.#crashes.reset(programKey);
  }

  /** Starts what can start; with a tenant, of its jobs only. */
  pump(tenant?: string): void {
    if (this.#queue.length === 0) return;
    const flow = tenant === undefined ? undefined : this.#flows.get(tenant);
    if (flow) this.#queue.pumpFlow(flow);
    else this.#queue.pump();
  }

  /** Takes out the jobs that were submitted before a time. */
  expired(before: number): Job[] {
    return this.#queue.length === 0 ? [] : this.#queue.remove((job) => job.submittedAt < before);
  }

  drain(): Job[] {
    return this.#queue.remove(() => true);
  }

  #assign(job: Job): Flow<Job> {
    const key = this.isIsolated(job) ? `${job.tenant}\nisolated` : job.tenant;
    let flow = this.#flows.get(key);
    if (!flow) {
      if (this.#flows.size >= maxFlows) this.#dropIdle();
      this.#flows.set(key, (flow = new Flow()));
    }
    job.flow = flow;
    return flow;
  }

  #dropIdle(): void {
    for (const [key, flow] of this.#flows) if (flow.isIdle) this.#flows.delete(key);
  }

  /** Takes the newest job of the flow that has most waiting; `null` if that is the tenant's own, or none waits. */
  #evict(tenant: string, sizeOf: (job: Job) => number): Job | null {
    const size = (flow: Flow<Job> | undefined): number => {
      let sum = 0;
      for (const job of flow?.waiting ?? []) sum += sizeOf(job);
      return sum;
    };
    let largest: Flow<Job> | undefined;
    for (const flow of this.#queue.active) if (size(flow) > size(largest)) largest = flow;
    if (!largest || size(largest) <= size(this.#flows.get(tenant)) + 1) return null;
    if (largest.waiting.peek()?.tenant === tenant) return null;
    return this.#queue.removeLast(largest) ?? null;
  }
}
