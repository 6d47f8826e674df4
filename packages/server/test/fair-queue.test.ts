import { describe, expect, it } from "vitest";
import { FairQueue, Turn } from "../src/fair-queue.ts";

/** Runs tenants that always have work waiting for a time that is only counted; what each got of it. */
async function simulate(costs: readonly number[], slots: number, totalUs: number): Promise<number[]> {
  const queue = new FairQueue(slots);
  const turns = costs.map(() => new Turn(64, 1_000));
  const got = costs.map(() => 0);
  let running: number[] = [];
  for (const [at, turn] of turns.entries()) {
    for (let many = 0; many < 100; many++) {
      const entered = queue.enter(turn);
      if (entered === true) running.push(at);
      else if (entered) void entered.then(() => running.push(at));
    }
  }
  for (let spent = 0; spent < totalUs;) {
    await Promise.resolve();
    await Promise.resolve();
    const at = running.shift();
    if (at === undefined) throw new Error("nobody runs, though everybody waits");
    const cost = costs[at] as number;
    spent += cost;
    got[at]! += cost;
    queue.leave(turns[at] as Turn, cost);
    const entered = queue.enter(turns[at] as Turn);
    if (entered === true) running.push(at);
    else if (entered) void entered.then(() => running.push(at));
  }
  return got;
}

describe("FairQueue", () => {
  it("gives each the same time, however long its decisions are", async () => {
    const got = await simulate([100, 1_000, 10_000, 300], 4, 4_000_000);
    const mean = got.reduce((a, b) => a + b, 0) / got.length;
    for (const time of got) expect(time / mean).toBeGreaterThan(0.8);
  });

  it("gives a hundred tenants the same", async () => {
    const got = await simulate(
      Array.from({ length: 100 }, (_, at) => 100 + 37 * at),
      16,
      20_000_000,
    );
    const mean = got.reduce((a, b) => a + b, 0) / got.length;
    expect(Math.min(...got) / mean).toBeGreaterThan(0.8);
  });

  it("lets one who has little to do in before those who have waited with much", async () => {
    const queue = new FairQueue(1);
    const loud = new Turn(8, 1_000);
    const quiet = new Turn(8, 10);
    expect(queue.enter(loud)).toBe(true);
    const order: string[] = [];
    for (let at = 0; at < 100; at++)
      void (queue.enter(loud) as Promise<boolean>).then(() => order.push("loud"));
    void (queue.enter(quiet) as Promise<boolean>).then(() => order.push("quiet"));
    for (let at = 0; at < 5; at++) {
      queue.leave(order.at(-1) === "quiet" ? quiet : loud, 100_000);
      await new Promise((done) => setImmediate(done));
    }
    expect(order.slice(0, 2)).toContain("quiet");
  });

  it("refuses what is more than may wait, and never lets in who has gone", async () => {
    const queue = new FairQueue(1);
    const turn = new Turn(1, 2);
    expect(queue.enter(turn)).toBe(true);
    const gone = queue.enter(turn, () => true) as Promise<boolean>;
    const stays = queue.enter(turn) as Promise<boolean>;
    expect(queue.enter(turn)).toBeNull();
    queue.leave(turn, 10);
    expect(await gone).toBe(false);
    expect(await stays).toBe(true);
    expect([queue.running, queue.waiting]).toEqual([1, 0]);
  });

  it("holds a tenant to its concurrency while others go on", async () => {
    const queue = new FairQueue(4);
    const one = new Turn(1, 10);
    const other = new Turn(4, 10);
    expect(queue.enter(one)).toBe(true);
    const second = queue.enter(one) as Promise<boolean>;
    expect(second).toBeInstanceOf(Promise);
    expect(await queue.enter(other)).toBe(true);
    queue.leave(one, 10);
    expect(await second).toBe(true);
  });
});
