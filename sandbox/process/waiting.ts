import { Fifo } from "./fifo.ts";
import type { Job } from "./job.ts";

/** Jobs that no child can take yet, in lanes (one for each tenant, or one for all) that get their turns round robin. */
export class Waiting {
  readonly #lanes = new Map<string, Fifo<Job>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(job: Job, lane: string): void {
    this.#lane(lane).push(job);
    this.#length++;
  }

  /** Puts jobs before those that have waited less long. */
  putBack(jobs: readonly Job[], laneOf: (job: Job) => string): void {
    for (const [lane, own] of Map.groupBy(jobs, laneOf)) this.#lane(lane).putBack(own);
    this.#length += jobs.length;
  }

  /** Offers each lane's oldest job until `take` refuses it. */
  each(take: (job: Job) => boolean): void {
    for (const [lane, jobs] of this.#lanes) {
      let job = jobs.peek();
      while (job && take(job)) {
        jobs.shift();
        this.#length--;
        job = jobs.peek();
      }
      if (!job) this.#lanes.delete(lane);
    }
  }

  drain(): Job[] {
    const jobs = [...this.#lanes.values()].flatMap((lane) => lane.drain());
    this.#lanes.clear();
    this.#length = 0;
    return jobs;
  }

  #lane(name: string): Fifo<Job> {
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = new Fifo();
      this.#lanes.set(name, lane);
    }
    return lane;
  }
}
