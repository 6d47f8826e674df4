/**
 * Kills the server with SIGKILL under load, in strict audit mode, again and again over the same data, and accounts for
 * every decision that was answered.
 *
 *     node test/bench/server/kill.ts [rounds, default 50]
 *
 * Linux and macOS.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStores } from "@hookwarden/server";
import { verifyLog } from "../../../src/log/verify.ts";
import { createClient } from "@hookwarden/client";
import { startServer } from "./process.ts";
import { eventOf, guard, operatorOf, packOf } from "./setup.ts";

export interface KillReport {
  readonly kills: number;
  readonly answered: number;
  readonly recorded: number;
  readonly missing: number;
  /** Whether every chain verifies. */
  readonly whole: boolean;
  readonly interruptions: number;
  /** Rounds after which another pack served than before. */
  readonly otherPack: number;
  readonly longestStartMs: number;
}

const tenants = ["one", "two", "three"] as const;

/** @param clients requests under way at the same time, for each tenant. */
export async function killRounds(rounds: number, clients = 8, lifeMs = 400): Promise<KillReport> {
  const data = mkdtempSync(join(tmpdir(), "hookwarden-server-kill-"));
  try {
    return await killIn(data, rounds, clients, lifeMs);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function killIn(data: string, rounds: number, clients: number, lifeMs: number): Promise<KillReport> {
  let url = "";
  const operator = await operatorOf(data, () => url);
  const answered = new Map<string, string[]>(tenants.map((tenant) => [tenant, []]));
  const keys = new Map<string, string>();
  const packs = new Map<string, string>();
  let otherPack = 0;
  let longestStartMs = 0;
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    const server = await startServer({ data, port: 0, audit: "strict" });
    longestStartMs = Math.max(longestStartMs, performance.now() - begun);
    ({ url } = server);
    if (round === 0) {
      for (const tenant of tenants) {
        await operator().putTenant(tenant);
        const { key } = await operator().makeKey({ tenant, name: "bench", scopes: ["decide", "packs"] });
        keys.set(tenant, key);
        await operator().putPack(tenant, {
          files: tenant === "two" ? packOf("export default () => undefined") : guard,
        });
      }
    }
    for (const { tenant, pack } of await operator().getTenants()) {
      if (packs.has(tenant) && packs.get(tenant) !== pack) otherPack++;
      packs.set(tenant, String(pack));
    }
    const life = new AbortController();
    const load = tenants.flatMap((tenant) =>
      Array.from({ length: clients }, async () => {
        const client = createClient({ url, key: keys.get(tenant) as string });
        while (!life.signal.aborted) {
          const decision = await client.decide(eventOf(`s${round}`)).catch(() => null);
          if (decision) answered.get(tenant)?.push(decision.decision_id);
        }
      }),
    );
    await new Promise((done) => setTimeout(done, lifeMs / 2 + Math.random() * lifeMs));
    const ended = new Promise((done) => server.child.once("exit", done));
    server.child.kill("SIGKILL");
    life.abort();
    await ended;
    await Promise.all(load);
  }
  return {
    ...(await account(data, answered)),
    kills: rounds,
    otherPack,
    longestStartMs: Math.round(longestStartMs),
  };
}

async function account(
  data: string,
  answered: ReadonlyMap<string, readonly string[]>,
): Promise<Pick<KillReport, "answered" | "recorded" | "missing" | "whole" | "interruptions">> {
  await using stores = openSqliteStores({ folder: data });
  const sums = { answered: 0, recorded: 0, missing: 0, interruptions: 0 };
  let whole = true;
  for (const [tenant, ids] of answered) {
    const recorded = new Set<string>();
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for await (const { line } of stores.audit.read({ tenant, node: "local" })) {
        const id = /"decision_id":"([^"]+)"/.exec(line)?.[1];
        if (id !== undefined && line.startsWith('{"kind":"decision"')) {
          // A second record of the same decision would be as wrong as none.
          if (recorded.has(id)) whole = false;
          recorded.add(id);
        }
        yield Buffer.from(`${line}\n`);
      }
    }
    const { problem, interruptions } = await verifyLog(bytes());
    if (problem) whole = false;
    sums.answered += ids.length;
    sums.recorded += recorded.size;
    sums.missing += ids.filter((id) => !recorded.has(id)).length;
    sums.interruptions += interruptions.length;
  }
  return { ...sums, whole };
}

if (process.argv[1]?.endsWith("kill.ts")) {
  const report = await killRounds(Number(process.argv[2] ?? 50));
  console.log(JSON.stringify(report));
  if (report.missing > 0 || !report.whole || report.otherPack > 0) process.exit(1);
}
