/**
 * Kills a process with SIGKILL in the middle of logging 5,000 decisions, again and again over one log, and accounts for
 * every decision that was answered.
 *
 *     node test/bench/log-kill.ts [rounds, default 50] [mode, default all]
 */
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyLog } from "../../src/log/verify.ts";
import { killAfter, loggedIds } from "../log/kill.ts";

const rounds = Number(process.argv[2] ?? 50);
const folder = mkdtempSync(join(tmpdir(), "hookwarden-kill-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const modes = [
  { name: "closed, each", options: { onFull: "closed", flush: "each" }, allAnswered: true },
  { name: "closed", options: { onFull: "closed" }, allAnswered: true },
  { name: "wait, every 100", options: { flush: { everyMs: 100, everyRecords: 100 } }, allAnswered: false },
] as const;

const only = process.argv[3];
for (const { name, options, allAnswered } of modes) {
  if (only !== undefined && only !== name) continue;
  const log = join(folder, `${name.replaceAll(/\W+/g, "-")}.jsonl`);
  let answeredInAll = 0;
  let missingInAll = 0;
  let mostMissing = 0;
  for (let round = 0; round < rounds; round++) {
    const { answered } = await killAfter(log, 1 + Math.floor(Math.random() * 4_900), options);
    const logged = new Set(loggedIds(log));
    const missing = answered.filter((id) => !logged.has(id));
    answeredInAll += answered.length;
    missingInAll += missing.length;
    mostMissing = Math.max(mostMissing, missing.length);
    // Those that are missing are the last ones: what is older than a record in the log is in the log.
    const firstMissing = answered.findIndex((id) => !logged.has(id));
    if (firstMissing >= 0 && answered.slice(firstMissing).some((id) => logged.has(id))) {
      throw new Error(`${name}, round ${round}: a record is missing before one that is there`);
    }
    if (allAnswered && missing.length > 0)
      throw new Error(`${name}, round ${round}: ${missing.length} answered decisions have no record`);
  }
  // One more run opens the log behind the last kill, and closes it.
  await killAfter(log, Infinity, options);
  const { problem, decisions, interruptions } = await verifyLog(createReadStream(log));
  if (problem) throw new Error(`${name}: ${problem.message}`);
  const torn = interruptions.filter(({ tornBytes }) => tornBytes > 0).length;
  console.log(
    `${name}: ${rounds} kills, ${answeredInAll} decisions answered before them, ${missingInAll} without a record (at most ${mostMissing} at once); ` +
      `the log is whole: ${decisions} decisions, ${interruptions.length} interruptions, ${torn} with half a record set aside, ${statSync(log).size} bytes`,
  );
}
