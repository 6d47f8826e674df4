import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { defaultLimits, type Call, type Outcome } from "@hookwarden/sandbox";
import { CrossCheckedSandbox, type Divergence } from "../../src/warden/cross-check.ts";
import { FakeFault, FakeSandbox } from "../support/fake-sandbox.ts";

const call = (seed: number): Call => ({
  program: { key: "p", name: "hook", source: "" },
  tenant: "t",
  handler: "Stop",
  args: ["{}", "{}"],
  time: 0,
  seed: [seed, 0, 0, 0],
  limits: defaultLimits,
});

interface Pair {
  readonly one: FakeSandbox;
  readonly other: FakeSandbox;
  readonly reports: Divergence[];
  readonly both: CrossCheckedSandbox;
}

function pair(first: () => unknown, second: () => unknown, rate = 1): Pair {
  const [one, other] = [new FakeSandbox(), new FakeSandbox()];
  one.define("p", first);
  other.define("p", second);
  const reports: Divergence[] = [];
  return {
    one,
    other,
    reports,
    both: new CrossCheckedSandbox(one, other, rate, (report) => reports.push(report)),
  };
}

function refusing(): unknown {
  throw new FakeFault("steps-exceeded");
}
function slow(): unknown {
  throw new FakeFault("timeout");
}

describe("a cross-check", () => {
  test("reports answers that differ, and never changes one", async () => {
    const { both, reports } = pair(
      () => ({ action: "deny", reason: "1" }),
      () => ({ action: "deny", reason: "2" }),
    );
    expect((await both.call(call(0))) as Outcome & { output: string }).toMatchObject({
      output: '{"action":"deny","reason":"1"}',
    });
    await both.settled();
    expect(reports).toEqual([
      {
        hook: "hook",
        hook_event_name: "Stop",
        tenant: "t",
        outcomes: [
          { engine: "quickjs", output: '{"action":"deny","reason":"1"}', fault: null },
          { engine: "quickjs", output: '{"action":"deny","reason":"2"}', fault: null },
        ],
      },
    ]);
  });

  const cases: [string, () => unknown, () => unknown, number][] = [
    ["the same answer", () => ({ a: 1 }), () => ({ a: 1 }), 0],
    ["nothing twice", () => null, () => undefined, 0],
    ["nothing and something", () => null, () => ({}), 1],
    ["other order of keys", () => ({ a: 1, b: 2 }), () => ({ b: 2, a: 1 }), 1],
    ["a failure under two names", refusing, slow, 0],
    ["a failure on one side", refusing, () => null, 1],
  ];
  test.each(cases)("%s", async (_, first, second, divergences) => {
    const { both, reports } = pair(first, second);
    await both.call(call(0));
    await both.settled();
    expect(reports).toHaveLength(divergences);
  });

  test("runs the requested share of calls, chosen by the seed", async () => {
    const { both, one, other } = pair(
      () => null,
      () => null,
      0.25,
    );
    for (let index = 0; index < 100; index++) {
      await both.call(call(Math.floor((index / 100) * 2 ** 32)));
      await both.settled();
    }
    expect(one.calls).toHaveLength(100);
    expect(other.calls).toHaveLength(25);
  });

  test("does not wait for the second engine, and does not pile calls up on it", async () => {
    const { both, other } = pair(
      () => null,
      () => sleep(30),
    );
    for (let index = 0; index < 500; index++) expect(both.call(call(0))).not.toBeInstanceOf(Promise);
    expect(other.calls.length).toBeLessThanOrEqual(64);
    await both[Symbol.asyncDispose]();
    expect(other.disposed).toBe(true);
  });
});
