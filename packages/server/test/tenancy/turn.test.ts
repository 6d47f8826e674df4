import { expect, it } from "vitest";
import { FairLimiter, LimitedFlow } from "../../src/fair-limiter.ts";
import type { TenantSandbox } from "../../src/tenant-sandbox.ts";
import { takeTurn, type TurnTaker } from "../../src/tenancy/turn.ts";

/** A lane of one slot with a tenant's place in it. */
function laneOf(name: string) {
  const limiter = new FairLimiter({ slots: 1 });
  return {
    limiter,
    sandbox: { lane: { name, limiter }, flow: new LimitedFlow(8, 10) } as unknown as TenantSandbox,
  };
}

/** A tenant whose lane can be changed, and which nothing refuses. */
function tenantIn(sandbox: TenantSandbox): TurnTaker & { sandbox: TenantSandbox } {
  const account = {
    record: { disabled: false, signedOnly: false },
    limits: { cpuMsPerMinute: 1_000 },
    rate: { take: () => 0 },
    cpu: { ms: 0 },
  };
  return Object.assign(account, {
    sandbox,
    chooseSandbox(): TenantSandbox {
      return this.sandbox;
    },
  }) as unknown as TurnTaker & { sandbox: TenantSandbox };
}

// Attack: a tenant sends loops together. The first shows that it belongs to the slow lane; those that wait behind it must
// not run in the fast one, where each would take a process from the others.
it("gives those that waited a turn in the lane that their tenant is in by then", async () => {
  const [fast, slow] = [laneOf("fast"), laneOf("slow")];
  const tenant = tenantIn(fast.sandbox);
  const first = await takeTurn("decide", tenant);
  const waiting = [takeTurn("decide", tenant), takeTurn("decide", tenant)];
  tenant.sandbox = slow.sandbox;
  first.leave(100_000);
  const second = await waiting[0]!;
  expect(second.sandbox).toBe(slow.sandbox);
  expect(fast.limiter.running).toBe(0);
  expect(slow.limiter).toMatchObject({ running: 1, waiting: 1 });
  second.leave(100_000);
  const third = await waiting[1]!;
  expect(third.sandbox).toBe(slow.sandbox);
  third.leave(100_000);
  expect(slow.limiter).toMatchObject({ running: 0, waiting: 0 });
});

it("refuses what waited if its tenant was switched off meanwhile, and holds no place for it", async () => {
  const { limiter, sandbox } = laneOf("fast");
  const tenant = tenantIn(sandbox);
  const first = await takeTurn("decide", tenant);
  const waiting = takeTurn("decide", tenant);
  Object.assign(tenant.record, { disabled: true });
  first.leave(1_000);
  await expect(waiting).rejects.toMatchObject({ code: "tenant-disabled" });
  expect(limiter).toMatchObject({ running: 0, waiting: 0 });
});
