import type { CallGroup } from "../contract.ts";
import type { ChildPool } from "./child-pool.ts";
import type { Job } from "./job.ts";
import type { JobQueue } from "./job-queue.ts";
import type { Settings } from "./options.ts";
import type { Runner } from "./runner.ts";

/** A child whose oldest job has run this long gets no more until it has answered, in milliseconds. */
const slowMs = 5;
/** Jobs behind one that has run this long are given to a free child, in milliseconds. */
const stalledMs = 10;
/** A child is replaced if others wait for a job that has run this long, in milliseconds. */
const drainStalledMs = 250;
/** How long after jobs of several tenants each of them leaves children to the others, in milliseconds. */
const contentionMs = 10_000;
/** A job that has been sent to this many children gets an idle one. */
const retriedAttempts = 2;
/** Minimum time that a child serves a tenant before another tenant can have its place, in milliseconds. */
const minTenantSlotMs = 50;
/** A child that has been idle for this long may be replaced by a second one of another tenant, in milliseconds. */
const idleReuseMs = 1_000;
/** How long the dedicated child stays after its last job, in milliseconds. */
const idleTimeoutMs = 5_000;
/** Cost of sending a program to a child that does not have it, in waiting jobs. */
const loadCost = 2;
/** Expected work of a tenant that one child may hold in its pipe, in microseconds. */
const maxPipelinedUs = 4_000;

/** Decides which child gets which job. `FairQueue` decides whose job is next. */
export class Schedule {
  /** The time that all decisions between two ticks use. */
  now = 0;
  readonly #children: ChildPool;
  readonly #queue: JobQueue;
  readonly #pipeline: number;
  readonly #processes: number;
  readonly #shared: boolean;
  #lastTenant: string | null = null;
  #contendedUntil = 0;
  /** Tenants that a child is being drained for: the place that it frees is theirs. */
  readonly #reservations = new Set<string>();
  /** The child that a group of calls was sent to: they travel together. */
  readonly #groups = new WeakMap<CallGroup, Runner>();

  constructor(children: ChildPool, queue: JobQueue, settings: Settings) {
    this.#children = children;
    this.#queue = queue;
    this.#pipeline = settings.pipeline;
    this.#processes = settings.processes;
    this.#shared = settings.tenantsPerProcess === "shared";
  }

  /** The child for a job, or `null` if it has to wait. */
  choose(job: Job): Runner | null {
    const group = job.attempts === 0 ? job.call?.group : undefined;
    if (group === undefined) return this.#choose(job);
    const joined = this.#groups.get(group);
    if (joined?.state === "ready" && !joined.draining && joined.jobs.length < this.#pipeline) return joined;
    const runner = this.#choose(job);
    if (runner) this.#groups.set(group, runner);
    return runner;
  }

  #choose(job: Job): Runner | null {
    if (this.#isHeld(job.tenant)) return null;
    if (job.tenant !== this.#lastTenant) {
      if (this.#lastTenant !== null) this.#contendedUntil = this.now + contentionMs;
      this.#lastTenant = job.tenant;
    }
    const tenant = this.#shared ? null : job.tenant;
    const best = this.#leastLoaded(job, tenant);
    if (best && best.jobs.length === 0) return best;
    if (tenant === null) return (this.#hasSharedRoom() ? this.#children.promote(null) : null) ?? best;
    return this.#promoteFor(tenant) ?? best ?? (this.#evictFor(tenant) ? this.#promoteFor(tenant) : null);
  }

  /** The idle child that a tenant's next job is likely to go to. */
  likelyFor(tenant: string): Runner | undefined {
    const bound = this.#shared ? null : tenant;
    return this.#children.active.find(
      (runner) =>
        runner.jobs.length === 0 && runner.tenant === bound && !runner.draining && !runner.dedicated,
    );
  }

  /** The child for a job whose program has crashed another: it runs alone, in a child that is dedicated to such. */
  chooseDedicated(job: Job): Runner | null {
    const tenant = this.#shared ? null : job.tenant;
    for (const runner of this.#children.active) {
      if (!runner.dedicated) continue;
      if (runner.jobs.length > 0) return null;
      if (runner.tenant === tenant) return runner;
      runner.kill({ cause: "retired" });
      break;
    }
    this.#children.room = true;
    const runner = this.#children.promote(tenant);
    if (runner) runner.dedicated = true;
    return runner;
  }

  /**
   * Takes jobs back that wait behind a stalled one, if a child is free for them. They may run twice then. If no child is
   * free and other tenants wait, the stalled child is drained, so that its tenant cannot block them with what it has sent.
   */
  rebalanceStalled(): Job[] {
    if (!this.#shared) return [];
    const isFree =
      this.#children.hasSpare ||
      this.#children.active.some((runner) => runner.jobs.length === 0 && !runner.dedicated);
    const jobs: Job[] = [];
    for (const runner of this.#children.active) {
      const stalled = this.now - runner.since;
      if (runner.jobs.length < 2 || stalled < stalledMs) continue;
      const group = runner.jobs.peek()?.job.call?.group;
      // Calls of the same group need not be known before the stalled one is.
      const mayRunElsewhere = (job: Job): boolean =>
        job.attempts === 1 && (group === undefined || job.call?.group !== group);
      if (isFree) jobs.push(...runner.giveBack(mayRunElsewhere));
      else if (stalled >= drainStalledMs && this.#delaysOthers(runner)) jobs.push(...runner.drain());
    }
    return jobs;
  }

  /** Ends idle children beyond the configured number, and reservations of tenants that no longer wait. */
  shrink(): void {
    const idle = this.#children.active.filter((runner) => runner.jobs.length === 0);
    for (const runner of idle) {
      if (runner.dedicated) {
        if (this.now - runner.since > idleTimeoutMs) runner.kill({ cause: "retired" });
      } else if (this.#activeCount() > this.#processes) this.#children.rest(runner);
    }
    this.#children.room = this.#children.active.some((runner) => runner.dedicated);
    this.dropReservations();
  }

  /** Drops the reservations of tenants that no longer wait. */
  dropReservations(): void {
    for (const tenant of this.#reservations) if (!this.#queue.hasWaiting(tenant)) this.#release(tenant);
  }

  /**
   * Whether a tenant has so many children busy with slow jobs that it gets no other: spares are for the jobs of others
   * then, or it would block all of them, one after another.
   */
  #isHeld(tenant: string): boolean {
    if (!this.#shared || this.now >= this.#contendedUntil) return false;
    let held = 0;
    for (const runner of this.#children.active) {
      if (!runner.dedicated && this.#isSlow(runner) && runner.jobs.peek()?.job.tenant === tenant) held++;
    }
    return held >= this.#processes;
  }

  #leastLoaded(job: Job, tenant: string | null): Runner | null {
    let best: Runner | null = null;
    let least = Infinity;
    let place = 0;
    const maxLength = Math.min(this.#pipeline, maxPipelinedUs / (job.flow?.estimateUs ?? 1));
    for (const runner of this.#children.active) {
      const { length } = runner.jobs;
      if (runner.dedicated) continue;
      place++;
      if (runner.tenant !== tenant || runner.draining) continue;
      // A retried job gets an idle child: its children died before its turn, and nothing must be ahead that could kill
      // the next one. No job waits behind a slow one: the queue decides who is next.
      const mustBeIdle = length >= maxLength || job.attempts >= retriedAttempts || this.#isSlow(runner);
      if (length > 0 && mustBeIdle) continue;
      // Children beyond the configured number are used only while others are slow.
      const load =
        length + (runner.has(job.program.key) ? 0 : loadCost) + (place > this.#processes ? 500 : 0);
      if (load >= least) continue;
      least = load;
      best = runner;
    }
    return best;
  }

  #isSlow(runner: Runner): boolean {
    return this.now - runner.since > slowMs;
  }

  #areAllSlow(): boolean {
    return this.#children.active.every(
      (runner) => runner.dedicated || (runner.jobs.length > 0 && this.#isSlow(runner)),
    );
  }

  /** Whether other tenants' jobs wait for the oldest job of a child. */
  #delaysOthers(runner: Runner): boolean {
    const tenant = runner.jobs.peek()?.job.tenant ?? "";
    if (this.#queue.othersWait(tenant)) return true;
    for (const { job } of runner.jobs) if (job.tenant !== tenant) return true;
    return false;
  }

  /** Active children, without the dedicated one. */
  #activeCount(): number {
    let count = 0;
    for (const runner of this.#children.active) if (!runner.dedicated) count++;
    return count;
  }

  /** A spare may take the place of a slow child before that one ends. */
  #hasSharedRoom(): boolean {
    return this.#activeCount() < this.#processes || this.#areAllSlow();
  }

  #promoteFor(tenant: string): Runner | null {
    const runner = this.#hasRoomFor(tenant) ? this.#children.promote(tenant) : null;
    if (runner) this.#release(tenant);
    return runner;
  }

  #release(tenant: string): void {
    this.#reservations.delete(tenant);
    this.#children.reserved = this.#reservations.size;
  }

  /** Whether a tenant may have a child more, where each child serves one tenant. */
  #hasRoomFor(tenant: string): boolean {
    const { active } = this.#children;
    const free = this.#processes - this.#activeCount();
    const isReserved = this.#reservations.has(tenant);
    const reservations = isReserved ? 0 : this.#reservations.size;
    const draining = active.filter((runner) => runner.draining).length;
    // A child that is being drained is one of those that places are reserved for.
    if (free > 0) return free > reservations - draining;
    // A tenant without a child need not wait for slow or idle ones of others while there is a spare.
    const isDelayed = active.every((runner) => runner.jobs.length === 0 || this.#isSlow(runner));
    return reservations === 0 && isDelayed && !active.some((runner) => runner.tenant === tenant);
  }

  /**
   * A tenant waits while all children serve others: an idle one is ended, or else one is drained. The place is reserved,
   * so that the tenant that had it cannot take it again.
   *
   * @returns whether it is free now.
   */
  #evictFor(tenant: string): boolean {
    if (this.#activeCount() < this.#processes || this.#reservations.has(tenant)) return false;
    const children = this.#children.active.filter(({ dedicated, draining }) => !dedicated && !draining);
    const held = (other: string | null): number =>
      children.filter((runner) => runner.tenant === other).length;
    // One that has a child already takes only what others have not used for a while.
    const minIdleMs = held(tenant) > 0 ? idleReuseMs : -Infinity;
    const [victim] = children
      .filter((runner) => runner.tenant !== tenant && this.now - runner.boundAt > minTenantSlotMs)
      .filter(({ jobs, since }) => minIdleMs < 0 || (jobs.length === 0 && this.now - since > minIdleMs))
      .sort(
        (one, other) =>
          held(other.tenant) - held(one.tenant) ||
          Number(one.jobs.length > 0) - Number(other.jobs.length > 0) ||
          one.since - other.since,
      );
    if (!victim) return false;
    this.#reservations.add(tenant);
    this.#children.reserved = this.#reservations.size;
    this.#children.raiseReserve();
    this.#queue.giveBack(victim.drain());
    return victim.state === "gone";
  }
}
