import { describe, expect, test } from "vitest";
import { runFleetTrial } from "../../../../test/support/fleet-trial.ts";
import { natsMissing } from "../../../../test/support/nats-server.ts";

describe.skipIf(natsMissing)("three nodes, one killed, one cut off, one slow", () => {
  test(
    "answer everything once, record everything once, and never go back",
    { timeout: 120_000 },
    async () => {
      const result = await runFleetTrial({ partMs: 1_500, concurrency: 8, slowMs: 60 });
      const { asked, answered, failedByPolicy, spreadMs } = result;
      expect(result).toMatchObject({
        lost: 0,
        recordedTwice: 0,
        answeredUnrecorded: 0,
        answeredOtherwise: 0,
        gapsInChains: 0,
        wentBack: 0,
      });
      expect(answered + failedByPolicy).toBe(asked);
      expect(answered).toBeGreaterThan(100);
      // A node that dies takes with it what it had claimed: as much as was under way, and nothing else.
      expect(failedByPolicy).toBeLessThanOrEqual(24);
      for (const ms of spreadMs) expect(ms).toBeLessThan(10_000);
      expect(Object.keys(result.byNode).sort()).toEqual(["cut", "killed", "slow"]);
    },
  );
});
