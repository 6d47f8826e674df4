import { expect, test } from "vitest";
import { replayStates, runReplayTrial } from "../support/replay-trial.ts";

// A decision must not depend on what ran before it in the same process, nor on whether anything did: a hook could tell by
// it, and no replay could prove what was decided. `npm run measure:replay` is the same with the whole corpus.
test(
  "hostile and honest hooks replay the same, warm, cold, after kills and in this process",
  { timeout: 120_000 },
  async () => {
    const { decided, faults, replays } = await runReplayTrial({
      decisions: 36,
      seed: 5,
      hostile: 4,
      every: 5,
    });
    expect(decided).toBe(36);
    // It can fail: there are decisions with answers, and failures of loading among them.
    expect(faults["none"]).toBeGreaterThan(5);
    expect(faults["load-failed"]).toBeGreaterThan(1);
    expect(replays.map(({ state }) => state)).toEqual(replayStates);
    for (const replay of replays) expect(replay).toMatchObject({ different: 0, same: 36, causes: {} });
  },
);
