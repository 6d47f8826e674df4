/**
 * Logs decisions of hooks with dates, chance, state, rewrites and exceptions, checks the log, and makes the decisions
 * again in this process and in another one. Everything must come out the same.
 *
 *     node test/bench/replay.ts [decisions, default 10000]
 */
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createProcessSandbox } from "@hookwarden/sandbox/process";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { createWarden } from "../../src/warden/index.ts";
import type { LoadedPack } from "../../src/pack/types.ts";
import type { Sandbox } from "@hookwarden/sandbox";
import { CertificateWriter } from "../../src/replay/certificate.ts";
import { replayLog } from "../../src/replay/replay.ts";
import { verifyLog } from "../../src/log/index.ts";
import { moody, packOf } from "../log/packs.ts";

const count = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), "hookwarden-replay-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const log = join(folder, "log.jsonl");

/** Runs work, and says what it took by the clock and in processor time of this process, for each decision. */
async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const cpu = process.cpuUsage();
  const begun = performance.now();
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  const wall = ((performance.now() - begun) * 1_000) / count;
  console.log(
    `${name}: ${wall.toFixed(0)} µs by the clock, ${((user + system) / count).toFixed(0)} µs of processor time a decision`,
  );
  return result;
}

async function decideAll(pack: LoadedPack, sandbox: Sandbox, to?: string): Promise<void> {
  await using warden = await createWarden({ pack, sandbox, ...(to === undefined ? {} : { log: to }) });
  for (let index = 0; index < count; index++) {
    const command = ["ls", `sudo ls ${index}`, "boom", `echo ${index}`][index % 4];
    await warden.dispatch(
      {
        hook_event_name: "PreToolUse",
        session_id: `s${index % 40}`,
        tool_name: "Bash",
        tool_input: { command },
      },
      { tenant: `t${index % 4}` },
    );
  }
}

async function replayAll(pack: LoadedPack, sandbox: Sandbox): Promise<{ totals: object; digest: string }> {
  const writer = new CertificateWriter();
  writer.begin();
  for await (const one of replayLog(createReadStream(log), { packs: [pack], sandbox: () => sandbox }))
    writer.add(one);
  return { totals: { ...writer.totals }, digest: writer.digest() };
}

const pack = await packOf(moody);
await using here = await createQuickjsSandbox();
await using there = await createProcessSandbox({ engine: "quickjs", processes: 1, spares: 0 });
await decideAll(pack, here);
await timed("deciding without a log", () => decideAll(pack, here));
await timed("deciding with a log", () => decideAll(pack, here, log));
const report = await timed("checking the log", () => verifyLog(createReadStream(log)));
console.log(
  `${report.decisions} decisions, ${Math.round(statSync(log).size / report.decisions)} bytes each, problem: ${String(report.problem)}`,
);
const one = await timed("replay in this process", () => replayAll(pack, here));
const other = await timed("replay in a child process", () => replayAll(pack, there));
console.log(
  one.totals,
  other.totals,
  one.digest === other.digest ? "certificates are equal" : "certificates differ",
);
if (
  one.digest !== other.digest ||
  JSON.stringify(one.totals) !== JSON.stringify({ same: count, different: 0, skipped: 0 })
)
  process.exitCode = 1;
