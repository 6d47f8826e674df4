import type { ChildPool } from "./child-pool.ts";
import type { Job } from "./job.ts";
import type { Settings } from "./options.ts";
import type { Runner } from "./runner.ts";

/** A child whose oldest job has run so long gets no more while another one can take them, in milliseconds. */
const slowMs = 5;
/** Jobs behind one that has run so long are given to another child as well, in milliseconds. */
const stalledMs = 10;
/** How long after jobs of several tenants each of them leaves children to the others, in milliseconds. */
const contentionMs = 10_000;
/** A job that has been sent to so many children gets one that has nothing else to do. */
const retriedAttempts = 2;
/** How long a child stays with a tenant at least before another tenant can have its place, in milliseconds. */
const minTenantSlotMs = 50;
/** How long the child for programs that have killed stays after its last job, at least, in milliseconds. */
const idleTimeoutMs = 5_000;
/** What it costs to send a program to a child that does not have it, in jobs that wait there. */
const loadCost = 2;

/** Decides which child gets which job. */
export class Schedule {
  /** The time that all decisions between two ticks go by. */
  now = 0;
  readonly #children: ChildPool;
  readonly #pipeline: number;
  readonly #processes: number;
  readonly #shared: boolean;
  #lastTenant: string | null = null;
  #contendedUntil = 0;

  constructor(fleet: ChildPool, settings: Settings) {
    this.#children = fleet;
    this.#pipeline = settings.pipeline;
    this.#processes = settings.processes;
    this.#shared = settings.tenantsPerProcess === "shared";
  }

  /** The child for a job, or `null` if it has to wait. */
  choose(job: Job): Runner | null {
    if (this.isHeld(job.tenant)) return null;
    if (job.tenant !== this.#lastTenant) {
      if (this.#lastTenant !== null) this.#contendedUntil = this.now + contentionMs;
      this.#lastTenant = job.tenant;
    }
    const tenant = this.#shared ? null : job.tenant;
    const best = this.#leastLoaded(job, tenant);
    if (best && best.jobs.length === 0) return best;
    if (best === null && tenant !== null) this.#evictTenant(tenant);
    // A stuck child is as good as none: a spare may take its place before it is dead.
    const isRoom = this.#activeCount() < this.#processes || (this.#shared && this.#areAllSlow());
    return (isRoom ? this.#children.promote(tenant) : null) ?? best;
  }

  /**
   * Whether a tenant keeps so many children busy with jobs that take long that it gets no other: those that stand by are
   * for the jobs of others then, or it would hold up them all, one after another.
   */
  isHeld(tenant: string): boolean {
    if (!this.#shared || this.now >= this.#contendedUntil) return false;
    let held = 0;
    for (const runner of this.#children.active) {
      if (!runner.dedicated && this.#isSlow(runner) && runner.jobs.peek()?.job.tenant === tenant) held++;
    }
    return held >= this.#processes;
  }

  /** A job of a program that has had its child killed: it runs alone, in the one child that is kept for such. */
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
   * Jobs that wait behind a stuck one, where a child is free for them. They may run twice then, so it is not done where
   * all are busy: that would make an overload worse.
   */
  rebalanceStalled(): Job[] {
    const isFree =
      this.#children.hasSpare ||
      this.#children.active.some((runner) => runner.jobs.length === 0 && !runner.dedicated);
    if (!this.#shared || !isFree) return [];
    const jobs: Job[] = [];
    for (const runner of this.#children.active) {
      if (runner.jobs.length < 2 || this.now - runner.since < stalledMs) continue;
      jobs.push(...runner.giveBack((job) => job.attempts === 1));
    }
    return jobs;
  }

  /** Lets idle children go that are more than enough. */
  shrink(): void {
    const idle = this.#children.active.filter((runner) => runner.jobs.length === 0);
    for (const runner of idle) {
      if (runner.dedicated) {
        if (this.now - runner.since > idleTimeoutMs) runner.kill({ cause: "retired" });
      } else if (this.#activeCount() > this.#processes) this.#children.rest(runner);
    }
    this.#children.room = this.#children.active.some((runner) => runner.dedicated);
  }

  #leastLoaded(job: Job, tenant: string | null): Runner | null {
    let best: Runner | null = null;
    let least = Infinity;
    let place = 0;
    for (const runner of this.#children.active) {
      const { length } = runner.jobs;
      if (runner.dedicated) continue;
      place++;
      if (runner.tenant !== tenant || length >= this.#pipeline || runner.draining) continue;
      // Its children have died before its turn: now nothing is before it that could kill the next one.
      if (job.attempts >= retriedAttempts && length > 0) continue;
      const slow = length > 0 && this.#isSlow(runner);
      if (slow && job.attempts > 0) continue;
      // One that was called in beyond the number of processes is used only while others are slow.
      const avoid = slow ? 1_000 : place > this.#processes ? 500 : 0;
      const load = length + (runner.has(job.program.key) ? 0 : loadCost) + avoid;
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

  /** Children that work, the one that is isolated not counted. */
  #activeCount(): number {
    let count = 0;
    for (const runner of this.#children.active) if (!runner.dedicated) count++;
    return count;
  }

  /** A tenant waits while all children are others': the one that has rested longest goes, or else the next to rest. */
  #evictTenant(tenant: string): void {
    if (this.#activeCount() < this.#processes) return;
    const others = this.#children.active.filter((runner) => runner.tenant !== tenant && !runner.dedicated);
    if (others.some((runner) => runner.draining)) return;
    const [longest] = others
      .filter((runner) => this.now - runner.boundAt > minTenantSlotMs)
      .sort(
        (one, other) =>
          Number(one.jobs.length > 0) - Number(other.jobs.length > 0) || one.since - other.since,
      );
    if (!longest) return;
    if (longest.jobs.length === 0) longest.kill({ cause: "retired" });
    else longest.draining = true;
  }
}
