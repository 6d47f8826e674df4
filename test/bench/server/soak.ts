/**
 * The server at 70 % of what it can do, for a long time, with reloads, faults, and a kill -9 of one of its sandbox
 * processes every 10 s.
 *
 *     node test/bench/server/soak.ts [--minutes 30] [--share 0.7] [--audit relaxed]
 *
 * Linux only.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { LoadClient, pause, percentile } from "./clients.ts";
import { childrenOf, descriptorsOf, rssMb, startServer } from "./process.ts";
import { eventOf, guard, operatorOf, packOf } from "./setup.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    share: { type: "string", default: "0.7" },
    audit: { type: "string", default: "relaxed" },
  },
});
const ms = Number(values.minutes) * 60_000;

const data = mkdtempSync(join(tmpdir(), "hookwarden-soak-"));
let url = "";
const operator = await operatorOf(data, () => url);
const server = await startServer({
  data,
  port: 0,
  audit: values.audit,
  tenantLimits: { cpuMsPerMinute: 6_000_000 },
});
({ url } = server);
const faulty = packOf(
  "export default (event) => { if (event.tool_input.command === 'fail') throw new Error('as asked'); }",
);
const keys: string[] = [];
for (const [at, files] of [guard, guard, faulty].entries()) {
  await operator().putTenant(`t${at}`);
  await operator().putPack(`t${at}`, { files });
  keys.push((await operator().makeKey({ tenant: `t${at}`, name: "soak", scopes: ["decide"] })).key);
}
const clients = keys.map((key) => new LoadClient(url, key, 16));
const body = JSON.stringify(eventOf());
const fail = JSON.stringify(eventOf("s", "fail"));

/** What it can do: closed loop for a few seconds. */
async function capacity(): Promise<number> {
  let count = 0;
  const end = performance.now() + 4_000;
  await Promise.all(
    clients.flatMap((client) =>
      Array.from({ length: 8 }, async () => {
        while (performance.now() < end) {
          await client.ask(body);
          count++;
        }
      }),
    ),
  );
  return count / 4;
}

await capacity();
const perSecond = (await capacity()) * Number(values.share);
/** With more requests in flight, none are sent: a client that falls behind would only measure itself. */
const openMost = 2_000;
let asked = 0;
let due = 0;
let answered = 0;
let unanswered = 0;
let crashed = 0;
const statuses = new Map<number, number>();
const times: number[] = [];
const open = new Set<Promise<void>>();
const rss: number[] = [];
const descriptors: number[] = [];
let kills = 0;
let reloads = 0;
const began = performance.now();
let nextKill = 10_000;
let nextReload = 5_000;
let nextLook = 0;
for (let now = 0; now < ms; now = performance.now() - began) {
  for (const until = (now / 1_000) * perSecond; due < until; due++) {
    if (open.size >= openMost) continue;
    const at = asked++;
    const client = clients[at % clients.length] as LoadClient;
    const one = client.ask(at % 300 === 2 ? fail : body).then((answer) => {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 0) unanswered++;
      else answered++;
      if (answer.body.includes('"crashed"')) crashed++;
      if (at % 10 === 0) times.push(answer.ms);
      open.delete(one);
    });
    open.add(one);
  }
  if (now > nextKill) {
    nextKill += 10_000;
    const children = childrenOf(server.pid);
    const victim = children[Math.floor(Math.random() * children.length)];
    try {
      if (victim !== undefined) kills += Number(process.kill(victim, "SIGKILL"));
    } catch {
      // It ended meanwhile: another one is killed next time.
    }
  }
  if (now > nextReload) {
    nextReload += 15_000;
    reloads++;
    const files = packOf(`export default () => undefined; // ${reloads}`);
    void operator()
      .putPack("t1", { files })
      .catch((error: unknown) => console.error("a reload has failed:", String(error)));
  }
  if (now > nextLook) {
    nextLook += Math.max(5_000, ms / 60);
    rss.push(Math.round(rssMb(server.pid)));
    descriptors.push(descriptorsOf(server.pid));
    console.log(
      `${Math.round(now / 1_000)} s: ${answered} answered, ${unanswered} unanswered, ${crashed} with a crash, ${rss.at(-1)} MB, ${descriptors.at(-1)} descriptors`,
    );
  }
  await pause(2);
}
await Promise.all(open);
const decided = (await operator().getOverview()).decisions;
for (const client of clients) client.close();
await server.stop();
rmSync(data, { recursive: true, force: true });
console.log(
  JSON.stringify({
    minutes: Number(values.minutes),
    perSecond: Math.round(perSecond),
    asked,
    heldBack: Math.max(0, Math.floor(due) - asked),
    answered,
    unanswered,
    statuses: Object.fromEntries(statuses),
    decided,
    crashed,
    kills,
    reloads,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    rss,
    descriptors,
  }),
);
if (unanswered > 0 || asked !== answered) process.exit(1);
