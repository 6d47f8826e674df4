/**
 * Three nodes on one NATS server, under load for a while: one is killed, one cut off, one slow. Prints what clients got,
 * what the audit holds, how fast packs spread, and how fast decisions were. `node test/bench/fleet.ts [SECONDS] [AT_ONCE]`
 */
import { runFleetTrial } from "../support/fleet-trial.ts";
import { natsMissing } from "../support/nats-server.ts";

const [seconds = "40", concurrency = "16"] = process.argv.slice(2);
if (natsMissing) process.exit(1);
const partMs = (Number(seconds) * 1_000) / 4;
const result = await runFleetTrial({
  partMs,
  concurrency: Number(concurrency),
  slowMs: 40,
  log: (line) => console.log(line),
});
console.log(JSON.stringify(result, null, 2));
const { lost, recordedTwice, answeredUnrecorded, answeredOtherwise, gapsInChains, wentBack } = result;
process.exitCode =
  lost + recordedTwice + answeredUnrecorded + answeredOtherwise + gapsInChains + wentBack === 0 ? 0 : 1;
