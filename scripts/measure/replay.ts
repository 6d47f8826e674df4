/**
 * Replays decisions of the hostile corpus and of honest hooks on quickjs, in children that are warm, cold, and new after
 * a kill, and in this process, and reports every difference by hook: `npm run measure:replay -- [DECISIONS] [SEED]`.
 * This process has V8's stack of a child process, so that hooks that run in it get their whole `stackKb` as well.
 */
import { runReplayTrial } from "../../test/support/replay-trial.ts";

const [decisions = "5000", seed = "1"] = process.argv.slice(2);
const result = await runReplayTrial({ decisions: Number(decisions), seed: Number(seed) });
console.log(`${result.decided} decisions, faults:`, result.faults);
for (const { state, same, different, causes } of result.replays) {
  console.log(`${state}: ${same} the same, ${different} different`);
  for (const [cause, count] of Object.entries(causes).sort(([, a], [, b]) => b - a))
    console.log(`  ${count} x ${cause}`);
}
process.exitCode = result.replays.every(({ different }) => different === 0) ? 0 : 1;
