/**
 * Load of one quickjs hook over keep-alive connections, next to a bare `node:http` echo of JSON in the same run; then over
 * one connection that streams events as lines.
 *
 *     node test/bench/server/load.ts [--seconds 5] [--rounds 3] [--connections 1,16,256] [--audit off]
 *
 * The servers are bound to one core, with the sandbox's processes; this process to another. Rounds are interleaved, and
 * all figures are ratios to the echo in the same round. Linux only.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient } from "@hookwarden/client";
import autocannon from "autocannon";
import { cpuOf, startServer, type StartedServer } from "./process.ts";
import { eventOf, guard, operatorOf } from "./setup.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "1,16,256" },
    audit: { type: "string", default: "off" },
    pinned: { type: "boolean", default: false },
  },
});
if (!values.pinned) {
  const again = ["-c", "1", process.execPath, "--no-warnings", ...process.argv.slice(1), "--pinned"];
  process.exit(spawnSync("taskset", again, { stdio: "inherit" }).status ?? 1);
}

const folder = mkdtempSync(join(tmpdir(), "hookwarden-load-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  /** Microseconds of processor time for each request: the server's, and with its sandboxes'. */
  readonly cpuUs: number;
  readonly wholeUs: number;
  readonly failed: number;
}

async function measure(
  server: StartedServer,
  key: string,
  connections: number,
  seconds: number,
): Promise<Figures> {
  const before = cpuOf(server.pid);
  const result = await autocannon({
    url: `${server.url}/v1/decisions`,
    method: "POST",
    connections,
    duration: seconds,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(eventOf()),
  });
  const after = cpuOf(server.pid);
  const count = result.requests.total;
  const own = ((after.own - before.own) * 1_000) / count;
  return {
    perSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    p999: result.latency.p99_9,
    cpuUs: own,
    wholeUs: own + ((after.children - before.children) * 1_000) / count,
    failed: result.non2xx + result.errors + result.timeouts,
  };
}

/** One connection that streams events as lines, with the client library. */
async function measureStream(server: StartedServer, key: string, seconds: number): Promise<Figures> {
  const client = createClient({ url: server.url, key });
  const events = Array.from({ length: 64 }, (_, at) => eventOf(`s${at}`));
  const until = performance.now() + seconds * 1_000;
  function* stream(): Generator<object> {
    for (let at = 0; performance.now() < until; at++) yield events[at % events.length] as object;
  }
  const before = cpuOf(server.pid);
  const begun = performance.now();
  let count = 0;
  let failed = 0;
  for await (const answered of client.decideStream(stream())) {
    if ("answer" in answered) count++;
    else failed++;
  }
  const elapsed = (performance.now() - begun) / 1_000;
  const after = cpuOf(server.pid);
  const own = ((after.own - before.own) * 1_000) / count;
  return {
    perSecond: count / elapsed,
    p50: NaN,
    p99: NaN,
    p999: NaN,
    cpuUs: own,
    wholeUs: own + ((after.children - before.children) * 1_000) / count,
    failed,
  };
}

const seconds = Number(values.seconds);
const data = join(folder, "data");
let url = "";
const operator = await operatorOf(data, () => url);
await using stack = new AsyncDisposableStack();
const echo = await startServer({ echo: true }, 0);
stack.defer(() => echo.stop());
const limits = { requestsPerSecond: 1_000_000, concurrency: 512, cpuMsPerMinute: 6_000_000, queued: 10_000 };
const server = await startServer({ data, port: 0, audit: values.audit, tenantLimits: limits }, 0);
stack.defer(() => server.stop());
url = server.url;
await operator().putTenant("bench");
const { key } = await operator().makeKey({ tenant: "bench", name: "bench", scopes: ["decide", "packs"] });
await operator().putPack("bench", { files: guard });

console.log(
  `${execFileSync("nproc").toString().trim()} cores, audit ${values.audit}, ${seconds} s a run; event of ${JSON.stringify(eventOf()).length} bytes`,
);
// Warm-up, of both.
await measure(echo, key, 16, 6);
await measure(server, key, 16, 8);
for (const connections of values.connections.split(",").map(Number)) {
  const rounds: { readonly echo: Figures; readonly server: Figures }[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    rounds.push({
      echo: await measure(echo, key, connections, seconds),
      server: await measure(server, key, connections, seconds),
    });
  }
  const ratio = (of: (figures: Figures) => number): string =>
    middle(rounds.map(({ server: ours, echo: theirs }) => of(ours) / of(theirs))).toFixed(2);
  const ours = (of: (figures: Figures) => number): number => middle(rounds.map(({ server: one }) => of(one)));
  const theirs = (of: (figures: Figures) => number): number => middle(rounds.map(({ echo: one }) => of(one)));
  console.log(
    [
      `${connections} connections:`,
      `${Math.round(ours((f) => f.perSecond))}/s against ${Math.round(theirs((f) => f.perSecond))}/s of the echo (${ratio((f) => f.perSecond)}×);`,
      `p50 ${ours((f) => f.p50)} ms, p99 ${ours((f) => f.p99)} ms, p99.9 ${ours((f) => f.p999)} ms (echo ${theirs((f) => f.p50)}, ${theirs((f) => f.p99)}, ${theirs((f) => f.p999)});`,
      `CPU a request ${ours((f) => f.cpuUs).toFixed(1)} µs (${ratio((f) => f.cpuUs)}× the echo's ${theirs((f) => f.cpuUs).toFixed(1)}), with sandboxes ${ratio((f) => f.wholeUs)}×;`,
      `${ours((f) => f.failed)} failed`,
    ].join(" "),
  );
}

const streams: Figures[] = [];
for (let round = 0; round < Number(values.rounds); round++)
  streams.push(await measureStream(server, key, seconds));
const streamed = (of: (figures: Figures) => number): number => middle(streams.map(of));
console.log(
  `one stream of lines: ${Math.round(streamed((f) => f.perSecond))}/s; CPU a decision ${streamed((f) => f.cpuUs).toFixed(1)} µs, with sandboxes ${streamed((f) => f.wholeUs).toFixed(1)} µs; ${streamed((f) => f.failed)} failed`,
);

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
