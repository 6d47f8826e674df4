import { Fifo } from "./fifo.ts";
import type { Job } from "./job.ts";

/** Jobs that no child can take yet, in lanes that do not wait for each other. */
export class TenantQueues {
  readonly #queues = new Map<string, Fifo<Job>>();
  readonly #queueOf: (job: Job) => string;
  #length = 0;

  constructor(queueOf: (job: Job) => string) {
    this.#queueOf = queueOf;
  }

  get length(): number {
    return this.#length;
  }

  /** Whether a job would have to wait behind others. */
  isFor(job: Job): boolean {
    return this.#length > 0 && this.#queues.has(this.#queueOf(job));
  }

  push(job: Job, now: number): void {
    job.waitsSince = now;
    this.#lane(this.#queueOf(job)).push(job);
    this.#length++;
  }

  /** Puts jobs before those that have waited less long. */
  requeue(jobs: readonly Job[], now: number): void {
    if (jobs.length === 0) return;
    for (const job of jobs) job.waitsSince = now;
    for (const [lane, own] of Map.groupBy(jobs, this.#queueOf)) this.#lane(lane).requeue(own);
    this.#length += jobs.length;
  }

  /** Offers each lane's oldest jobs until `take` refuses one. A lane that got something is the last one next time. */
  each(take: (job: Job) => boolean): void {
    // A copy: lanes change their places meanwhile.
    for (const lane of Array.from(this.#queues.keys())) this.#offer(lane, take);
  }

  /** Does the same for the lane of one tenant, and for the one that has gone without for longest. */
  some(lane: string, take: (job: Job) => boolean): void {
    const next = this.#queues.keys().next().value;
    this.#offer(lane, take);
    if (next !== undefined && next !== lane) this.#offer(next, take);
  }

  #offer(lane: string, take: (job: Job) => boolean): void {
    const jobs = this.#queues.get(lane);
    if (!jobs) return;
    let moved = 0;
    for (let job = jobs.peek(); job; job = jobs.peek()) {
      const isTaken = take(job);
      // One that belongs to another lane by now must not hold up those behind it.
      const own = isTaken ? lane : this.#queueOf(job);
      if (!isTaken && own === lane) break;
      jobs.shift();
      if (isTaken) this.#length--;
      else this.#lane(own).push(job);
      moved++;
    }
    if (moved === 0) return;
    this.#queues.delete(lane);
    if (jobs.length > 0) this.#queues.set(lane, jobs);
  }

  /** Takes out the jobs that have waited since before a time. */
  expired(before: number): Job[] {
    const jobs: Job[] = [];
    this.each((job) => job.waitsSince < before && jobs.push(job) > 0);
    return jobs;
  }

  drain(): Job[] {
    const jobs = [...this.#queues.values()].flatMap((lane) => lane.drain());
    this.#queues.clear();
    this.#length = 0;
    return jobs;
  }

  #lane(name: string): Fifo<Job> {
    let lane = this.#queues.get(name);
    if (!lane) {
      lane = new Fifo();
      this.#queues.set(name, lane);
    }
    return lane;
  }
}
