/**
 * A quiet tenant beside one that sends loops, memory bombs, crashes and bodies of 10 MB as fast as it can.
 *
 *     node test/bench/server/neighbour.ts [seconds, default 20] [--isolation tenant]
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LoadClient, pause, percentile } from "./clients.ts";
import { startServer } from "./process.ts";
import { eventOf, guard, operatorOf, packOf } from "./setup.ts";

export interface NeighbourReport {
  /** Of the quiet tenant, in milliseconds: alone, and beside the other. */
  readonly idleP99: number;
  readonly p99: number;
  readonly idleP50: number;
  readonly p50: number;
  readonly quietFailed: number;
  readonly quietAnswered: number;
  /** Statuses that the loud tenant got. */
  readonly loud: { readonly [status: string]: number };
}

const noiseProgram = fileURLToPath(new URL("./noise.ts", import.meta.url));

/** What the loud tenant's hook does depends on the command. */
const hostile = packOf(`export default (event) => {
  const { command } = event.tool_input;
  if (command === "loop") for (;;);
  if (command === "bomb") { const all = []; for (;;) all.push(new Array(100000).fill(1)); }
  if (command === "crash") return new Array(2 ** 28).join("x");
  if (command === "deep") { const f = () => f() + 1; return f(); }
}`);

/** @param quarantined `false`: the loud tenant is never quarantined, so that nothing but its turns holds it back. */
export async function besideNoise(
  seconds: number,
  quarantined = true,
  isolation: "shared" | "tenant" = "shared",
): Promise<NeighbourReport> {
  const data = mkdtempSync(join(tmpdir(), "hookwarden-noise-"));
  let url = "";
  const operator = await operatorOf(data, () => url);
  const server = await startServer({
    data,
    port: 0,
    audit: "off",
    isolation,
    ...(quarantined ? {} : { quarantine: { faults: 1_000_000_000 } }),
  });
  try {
    ({ url } = server);
    const keyOf = async (tenant: string, files: { readonly [path: string]: string }): Promise<string> => {
      await operator().putTenant(tenant);
      await operator().putPack(tenant, { files });
      return (await operator().makeKey({ tenant, name: "bench", scopes: ["decide"] })).key;
    };
    const quiet = new LoadClient(url, await keyOf("quiet", guard), 4);
    const loudKey = await keyOf("loud", hostile);
    await sample(quiet, 1);
    const idle = await sample(quiet, seconds / 2);
    // In a process of its own: here it would hold up those that measure. It gives way to them and to the server, as one on
    // another machine would: what it takes to make bodies of 10 MB is not the server's to keep from others.
    const line = ["-n", "15", process.execPath, "--no-warnings", noiseProgram, url, loudKey];
    const noise = spawn("nice", line, { stdio: ["pipe", "pipe", "inherit"] });
    const beside = await sample(quiet, seconds);
    noise.stdin.end();
    let text = "";
    for await (const chunk of noise.stdout) text += String(chunk);
    quiet.close();
    return {
      idleP50: percentile(idle.ms, 0.5),
      idleP99: percentile(idle.ms, 0.99),
      p50: percentile(beside.ms, 0.5),
      p99: percentile(beside.ms, 0.99),
      quietAnswered: beside.ms.length,
      quietFailed: beside.failed,
      loud: JSON.parse(text) as NeighbourReport["loud"],
    };
  } finally {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** A request every 5 ms, whether the one before has been answered or not: who waits for answers hides how late they are. */
async function sample(
  client: LoadClient,
  seconds: number,
): Promise<{ readonly ms: number[]; readonly failed: number }> {
  const ms: number[] = [];
  let failed = 0;
  const asked: Promise<void>[] = [];
  const body = JSON.stringify(eventOf());
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
    asked.push(
      client.ask(body).then((answer) => {
        ms.push(answer.ms);
        if (answer.status !== 200 || !answer.body.includes('"fault":null')) failed++;
      }),
    );
    await pause(5);
  }
  await Promise.all(asked);
  return { ms, failed };
}

if (process.argv[1]?.endsWith("neighbour.ts")) {
  const isolation = process.argv.includes("tenant") ? "tenant" : "shared";
  for (const quarantined of [true, false]) {
    const report = await besideNoise(Number(process.argv[2] ?? 20), quarantined, isolation);
    const holds = report.p99 <= Math.max(2 * report.idleP99, report.idleP99 + 10);
    console.log(
      `${isolation} processes, ${quarantined ? "with" : "without"} quarantine: ${JSON.stringify(report)} ${holds ? "holds" : "DOES NOT HOLD"}`,
    );
  }
}
