import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairQueue, Flow } from "../../src/resilience/index.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

interface Item {
  readonly flow: Flow<Item>;
  readonly costUs: number;
}

/** A number of servers that run items for a time that is only counted. */
class Simulation {
  readonly queue: FairQueue<Item>;
  readonly got = new Map<Flow<Item>, number>();
  nowUs = 0;
  readonly #running: { readonly item: Item; readonly endUs: number }[] = [];

  constructor(servers: number) {
    this.queue = new FairQueue<Item>({
      start: (item) => this.#running.push({ item, endUs: this.nowUs + item.costUs }) > 0,
      isFull: () => this.#running.length >= servers,
    });
  }

  submit(item: Item): void {
    if (!this.queue.tryStart(item.flow, item)) this.queue.push(item.flow, item);
  }

  /** Runs until the next item ends. */
  step(): Item {
    this.#running.sort((one, other) => one.endUs - other.endUs);
    const { item, endUs } = this.#running.shift()!;
    this.nowUs = endUs;
    this.got.set(item.flow, (this.got.get(item.flow) ?? 0) + item.costUs);
    this.queue.finish(item.flow, item.costUs);
    this.queue.pump();
    return item;
  }
}

describe("FairQueue", () => {
  it("shares by time between flows that always have something waiting, whatever their items cost", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 500, max: 20_000 }), { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        (costs, servers) => {
          const run = new Simulation(servers);
          const items = costs.map((costUs): Item => ({ flow: new Flow(), costUs }));
          // With several servers no flow can use more than it has in flight.
          for (const item of items) for (let at = 0; at <= servers; at++) run.submit(item);
          while (run.nowUs < 2_000_000) run.submit(run.step());
          const got = items.map(({ flow }) => run.got.get(flow) ?? 0);
          const fair = (run.nowUs * servers) / costs.length;
          for (const time of got)
            expect(Math.abs(time - fair)).toBeLessThan(20_000 * (servers + costs.length) + fair / 4);
        },
      ),
      { numRuns: propertyRuns(12) },
    );
  });

  // Attack: a tenant fills the queue with items that each take seconds, so that a newcomer waits behind all of them.
  it("serves a newcomer next, however much the others have waiting, and whatever they have used", () => {
    const run = new Simulation(1);
    const loud: Item = { flow: new Flow(), costUs: 2_500_000 };
    for (let at = 0; at < 40; at++) run.submit(loud);
    for (let at = 0; at < 10; at++) run.step();
    const quiet: Item = { flow: new Flow(), costUs: 1_000 };
    run.submit(quiet);
    run.step();
    expect(run.step()).toBe(quiet);
  });

  // Attack: a tenant that stays idle saves up time, and then has the machine to itself.
  it("does not let a flow save up time while it is idle", () => {
    const run = new Simulation(1);
    const steady: Item = { flow: new Flow(), costUs: 1_000 };
    const sleeper: Item = { flow: new Flow(), costUs: 1_000 };
    for (let at = 0; at < 2; at++) run.submit(steady);
    while (run.nowUs < 10_000_000) run.submit(run.step());
    for (let at = 0; at < 1_000; at++) run.submit(sleeper);
    const before = run.got.get(steady.flow)!;
    const startUs = run.nowUs;
    while (run.nowUs < startUs + 200_000) {
      const done = run.step();
      if (done === steady) run.submit(steady);
    }
    expect(run.got.get(steady.flow)! - before).toBeGreaterThan(80_000);
  });

  // A flow that was alone must not pay later for capacity that no other flow wanted.
  it("does not hold time against a flow that it used while no other wanted it", () => {
    const run = new Simulation(1);
    const heavy: Item = { flow: new Flow(), costUs: 10_000 };
    for (let at = 0; at < 2; at++) run.submit(heavy);
    while (run.nowUs < 60_000_000) run.submit(run.step());
    const newcomer: Item = { flow: new Flow(), costUs: 10_000 };
    for (let at = 0; at < 2; at++) run.submit(newcomer);
    const before = run.got.get(heavy.flow)!;
    const startUs = run.nowUs;
    while (run.nowUs < startUs + 400_000) run.submit(run.step());
    expect(run.got.get(heavy.flow)! - before).toBeGreaterThan(150_000);
  });

  it("goes on with other flows where one cannot start, and bounds the credit of that one", () => {
    const order: string[] = [];
    let blocked = true;
    const names = new Map<Flow<string>, string>();
    const queue = new FairQueue<string>({
      start: (item) => (blocked && item === "blocked" ? false : order.push(item) > 0),
    });
    const one = new Flow<string>();
    const other = new Flow<string>();
    names.set(one, "blocked").set(other, "other");
    queue.push(one, "blocked");
    for (let at = 0; at < 100; at++) {
      queue.push(other, "other");
      queue.pump();
      queue.finish(other, 100_000);
    }
    blocked = false;
    for (let at = 0; at < 50; at++) queue.push(one, "blocked");
    expect(order.length).toBe(100);
    queue.pump();
    queue.finish(one, 100_000);
    // One item of 100 ms used up the credit of at most 50 ms.
    expect(one.usedUs).toBeGreaterThan(other.usedUs - 100_000);
    expect(queue.length).toBe(0);
  });

  it("keeps requeued items before the others of their flow, and drops what is no longer needed", () => {
    const started: number[] = [];
    let room = 0;
    const queue = new FairQueue<number>({
      start: (item) => (item < 0 ? "dropped" : room-- > 0 && started.push(item) > 0),
    });
    const flow = new Flow<number>();
    for (const item of [3, -1, 4, 5]) queue.push(flow, item);
    queue.requeue(flow, [1, 2]);
    expect(queue.remove((item) => item === 4)).toEqual([4]);
    expect(queue.removeLast(flow)).toBe(5);
    room = 9;
    queue.pump();
    expect(started).toEqual([1, 2, 3]);
    expect([queue.length, flow.running, flow.waiting.length]).toEqual([0, 3, 0]);
  });

  it("may be pumped again from within `start`", () => {
    const started: string[] = [];
    const flows = { a: new Flow<string>(), b: new Flow<string>() };
    const queue: FairQueue<string> = new FairQueue<string>({
      start: (item) => {
        started.push(item);
        if (item === "a1") {
          queue.push(flows.b, "b1");
          queue.requeue(flows.a, ["a0"]);
          queue.pump();
        }
        return true;
      },
    });
    queue.push(flows.a, "a1");
    queue.push(flows.a, "a2");
    queue.pump();
    expect(started.toSorted()).toEqual(["a0", "a1", "a2", "b1"]);
    expect(queue.length).toBe(0);
  });
});
