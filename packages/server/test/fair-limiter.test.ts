import { describe, expect, it } from "vitest";
import { FairLimiter, LimitedFlow } from "../src/fair-limiter.ts";

/** Runs tenants that always have work waiting for a time that is only counted. @returns what each used. */
async function simulate(
  costs: readonly number[],
  limiter: FairLimiter,
  totalUs: number,
): Promise<readonly number[]> {
  const flows = costs.map(() => new LimitedFlow(64, 1_000));
  const used = costs.map(() => 0);
  const running: number[] = [];
  const submit = (at: number): void => {
    const entered = limiter.enter(flows[at] as LimitedFlow);
    if (entered === true) running.push(at);
    else void (entered as Promise<boolean>).then(() => running.push(at));
  };
  for (const at of flows.keys()) for (let many = 0; many < 100; many++) submit(at);
  for (let spentUs = 0; spentUs < totalUs;) {
    await Promise.resolve();
    await Promise.resolve();
    const at = running.shift();
    if (at === undefined) throw new Error("nothing runs, though all tenants have work waiting");
    const costUs = costs[at] as number;
    spentUs += costUs;
    used[at]! += costUs;
    limiter.leave(flows[at] as LimitedFlow, costUs);
    submit(at);
  }
  return used;
}

describe("FairLimiter", () => {
  it.each([
    ["of different cost", [100, 1_000, 10_000, 300], 4],
    ["a hundred", Array.from({ length: 100 }, (_, at) => 100 + 37 * at), 16],
  ])("gives tenants the same time: %s", async (_name, costs, slots) => {
    const limiter = new FairLimiter({ slots, maxLoadUs: 8_000, maxDebtUs: 40_000 });
    const used = await simulate(costs, limiter, 20_000_000);
    const mean = used.reduce((a, b) => a + b, 0) / used.length;
    for (const time of used) expect(time / mean).toBeGreaterThan(0.8);
  });

  // Attack: a tenant has hundreds of long decisions waiting, so that a newcomer waits behind all of them.
  it("starts the decision of a newcomer next", async () => {
    const limiter = new FairLimiter({ slots: 1 });
    const loud = new LimitedFlow(8, 1_000);
    const quiet = new LimitedFlow(8, 10);
    expect(limiter.enter(loud)).toBe(true);
    const order: LimitedFlow[] = [];
    const submit = (flow: LimitedFlow): void =>
      void (limiter.enter(flow) as Promise<boolean>).then(() => order.push(flow));
    for (let at = 0; at < 100; at++) submit(loud);
    submit(quiet);
    for (let at = 0; at < 3; at++) {
      limiter.leave(order.at(-1) ?? loud, 100_000);
      await new Promise((done) => setImmediate(done));
    }
    expect(order.slice(0, 2)).toContain(quiet);
  });

  // Attack: a tenant fills its own queue; the refusals must be its own as well.
  it("refuses what exceeds the tenant's queue, and only that tenant", () => {
    const limiter = new FairLimiter({ slots: 1 });
    const [loud, quiet] = [new LimitedFlow(1, 2), new LimitedFlow(1, 2)];
    const entered = Array.from({ length: 5 }, () => limiter.enter(loud));
    expect(entered[0]).toBe(true);
    expect(entered.slice(3)).toEqual([null, null]);
    expect(limiter.enter(quiet)).toBeInstanceOf(Promise);
    expect([limiter.running, limiter.waiting]).toEqual([1, 3]);
  });

  it("never starts work whose caller has disconnected", async () => {
    const limiter = new FairLimiter({ slots: 1 });
    const flow = new LimitedFlow(1, 2);
    expect(limiter.enter(flow)).toBe(true);
    const gone = limiter.enter(flow, () => true);
    const stays = limiter.enter(flow, () => false);
    limiter.leave(flow, 10);
    expect([await gone, await stays]).toEqual([false, true]);
    expect([limiter.running, limiter.waiting]).toEqual([1, 0]);
  });

  it("limits the concurrency of a tenant while others go on", async () => {
    const limiter = new FairLimiter({ slots: 4 });
    const [one, other] = [new LimitedFlow(1, 10), new LimitedFlow(4, 10)];
    expect(limiter.enter(one)).toBe(true);
    const second = limiter.enter(one);
    expect(second).toBeInstanceOf(Promise);
    expect(limiter.enter(other)).toBe(true);
    limiter.leave(one, 10);
    expect(await second).toBe(true);
  });

  it("limits the expected cost of what runs of a tenant, and always lets one run", async () => {
    const limiter = new FairLimiter({ slots: 8, maxLoadUs: 1_000 });
    const flow = new LimitedFlow(8, 10);
    // The first estimate is 200 µs.
    expect(Array.from({ length: 5 }, () => limiter.enter(flow))).toEqual([true, true, true, true, true]);
    const sixth = limiter.enter(flow);
    expect(sixth).toBeInstanceOf(Promise);
    for (let at = 0; at < 4; at++) limiter.leave(flow, 1_000_000);
    expect(flow.waiting.length).toBe(1);
    limiter.leave(flow, 1_000_000);
    expect(await sixth).toBe(true);
  });
});
