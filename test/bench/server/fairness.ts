/**
 * A hundred tenants whose load follows Zipf's law, together more than the server can do: what each gets, against its
 * fair share (the most that every tenant could have if none got more than it asks for).
 *
 *     node test/bench/server/fairness.ts [tenants, default 100] [seconds, default 40] [events a second, default 2500]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundle } from "../../../src/bundle/build.ts";
import { LoadClient, pause } from "./clients.ts";
import { startServer } from "./process.ts";
import { eventOf, operatorOf, packOf } from "./setup.ts";

export interface FairnessReport {
  readonly tenants: number;
  readonly offered: number;
  readonly decided: number;
  /** Of all tenants: what it got against its fair share; the least, and the middle. */
  readonly least: number;
  readonly median: number;
  readonly leastTenant: { readonly rank: number; readonly offered: number; readonly decided: number };
  readonly rssMb: number;
}

/** A hook that computes for a while, so that hooks and not HTTP are what is short. */
const work = packOf("export default () => { for (let i = 0, x = 0; i < 5000; i++) x += i; }");

/** @param perSecond events that all tenants together send in a second. */
export async function fairness(count: number, seconds: number, perSecond: number): Promise<FairnessReport> {
  const data = mkdtempSync(join(tmpdir(), "hookwarden-fair-"));
  let url = "";
  const operator = await operatorOf(data, () => url);
  const server = await startServer({
    data,
    port: 0,
    audit: "off",
    tenantLimits: { cpuMsPerMinute: 6_000_000, queued: 200 },
  });
  try {
    ({ url } = server);
    const clients: LoadClient[] = [];
    const files = new Map(Object.entries(work).map(([path, text]) => [path, Buffer.from(text)]));
    const options = { name: "work", version: "1.0.0", nodeModules: [] };
    const bundle = Buffer.from((await buildBundle(files, options)).bytes);
    for (let at = 0; at < count; at++) {
      const tenant = `t${at}`;
      await operator().putTenant(tenant);
      await operator().putPack(tenant, bundle);
      const { key } = await operator().makeKey({ tenant, name: "bench", scopes: ["decide"] });
      clients.push(new LoadClient(url, key, 64));
    }
    const weights = clients.map((_, at) => 1 / (at + 1));
    const sum = weights.reduce((a, b) => a + b, 0);
    const rates = weights.map((weight) => (weight / sum) * perSecond);
    const offered = clients.map(() => 0);
    const decided = clients.map(() => 0);
    const body = JSON.stringify(eventOf());
    // Every hook is loaded, and has shown that it ends.
    await Promise.all(
      clients.map(async (client) => {
        for (let at = 0; at < 20; at++) await client.ask(body);
      }),
    );
    const asked: Promise<void>[] = [];
    const began = performance.now();
    const due = clients.map(() => 0);
    let now = 0;
    for (; now < seconds * 1_000; now = performance.now() - began) {
      for (const [at, client] of clients.entries()) {
        const rate = rates[at] as number;
        while ((due[at] as number) <= now) {
          due[at] = (due[at] as number) + 1_000 / rate;
          offered[at]!++;
          asked.push(
            client.ask(body).then(({ status }) => {
              // What comes after the end was decided after the last request.
              if (status === 200 && performance.now() - began <= seconds * 1_000) decided[at]!++;
            }),
          );
        }
      }
      await pause(2);
    }
    await Promise.all(asked);
    for (const client of clients) client.close();
    const { rss_bytes } = await operator().getOverview();
    return { ...judge(offered, decided), rssMb: Math.round(rss_bytes / 1_048_576) };
  } finally {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

function judge(offered: readonly number[], decided: readonly number[]): Omit<FairnessReport, "rssMb"> {
  const total = decided.reduce((a, b) => a + b, 0);
  const level = levelOf(offered, total);
  const shares = offered.map((asked, at) => ({
    at,
    share: (decided[at] as number) / Math.min(asked, level),
  }));
  const sorted = shares.toSorted((a, b) => a.share - b.share);
  const { at, share } = sorted[0] as { at: number; share: number };
  return {
    tenants: offered.length,
    offered: offered.reduce((a, b) => a + b, 0),
    decided: total,
    least: share,
    median: (sorted[sorted.length >> 1] as { share: number }).share,
    leastTenant: { rank: at + 1, offered: offered[at] as number, decided: decided[at] as number },
  };
}

/** The level up to which a total can fill all demands: what the max-min fair share of the greedy ones is. */
function levelOf(demands: readonly number[], total: number): number {
  let left = total;
  const sorted = demands.toSorted((a, b) => a - b);
  for (const [at, demand] of sorted.entries()) {
    const equal = left / (sorted.length - at);
    if (demand >= equal) return equal;
    left -= demand;
  }
  return Infinity;
}

if (process.argv[1]?.endsWith("fairness.ts")) {
  const report = await fairness(
    Number(process.argv[2] ?? 100),
    Number(process.argv[3] ?? 40),
    Number(process.argv[4] ?? 2_500),
  );
  console.log(JSON.stringify(report));
  if (report.least < 0.8) process.exit(1);
}
