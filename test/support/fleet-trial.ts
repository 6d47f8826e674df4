import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generateKey } from "../../src/bundle/index.ts";
import { NatsDecisionClient, createNatsNode, type NatsNode } from "@hookwarden/server/nats";
import { CutProxy } from "./cut-proxy.ts";
import { endNode, publish, startNode, trialTenant as tenant } from "./fleet-nodes.ts";
import { startNats } from "./nats-server.ts";
import { sampleEvent } from "./sample-events.ts";

export interface TrialOptions {
  /** Length of each of the four parts, in milliseconds. */
  readonly partMs: number;
  /** Questions under way at the same time. */
  readonly concurrency: number;
  /** By how much the slow node answers later, in milliseconds. */
  readonly slowMs: number;
  readonly log?: (line: string) => void;
}

/** What a trial has come to. */
export interface TrialResult {
  readonly asked: number;
  readonly answered: number;
  readonly failedByPolicy: number;
  /** Questions that ended neither way. */
  readonly lost: number;
  readonly askedAgain: number;
  /** Records of decisions in the audit, and what is wrong with them. */
  readonly recorded: number;
  readonly recordedTwice: number;
  readonly answeredUnrecorded: number;
  readonly answeredOtherwise: number;
  readonly gapsInChains: number;
  /** From telling the fleet of a pack until every node that can be reached serves it, in milliseconds. */
  readonly spreadMs: readonly number[];
  /** Answers by an older generation from a node that had acknowledged a newer one before it was asked. */
  readonly wentBack: number;
  readonly byNode: { readonly [node: string]: number };
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

interface Answer {
  readonly id: string;
  readonly node: string | null;
  readonly generation: number;
  readonly begun: number;
  readonly ms: number;
  readonly attempts: number;
}

/**
 * Three nodes on one NATS server under load. One is killed, one is cut off, one is slow; then they come back. All the
 * while packs are replaced.
 */
export async function runFleetTrial(options: TrialOptions): Promise<TrialResult> {
  const { partMs, concurrency, slowMs, log = () => undefined } = options;
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-fleet-"));
  await using closing = new AsyncDisposableStack();
  closing.defer(async () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const nats = await startNats();
  closing.defer(() => nats.close());
  const proxy = await CutProxy.open(nats.port);
  closing.defer(() => proxy.close());
  const key = await generateKey("fleet");
  const control = await createNatsNode({
    servers: nats.url,
    node: "control",
    folder: join(folder, "control"),
    key,
  });
  closing.use(control.stores);
  await control.stores.tenants.put({
    tenant,
    created: new Date().toISOString(),
    disabled: false,
    limits: {},
    signedOnly: false,
  });
  await publish(control, folder, key, 1);

  const nodes = new Map<string, ChildProcess>();
  closing.defer(async () => {
    for (const child of nodes.values()) await endNode(child);
  });
  const settings = { key, timeoutMs: 1_000, pingMs: 500 };
  const start = async (node: string): Promise<void> => {
    const servers = node === "cut" ? `nats://127.0.0.1:${proxy.port}` : nats.url;
    const delayMs = node === "slow" ? slowMs : 0;
    const given = { ...settings, servers, node, folder: join(folder, node), delayMs };
    nodes.set(node, await startNode(given));
  };
  await Promise.all(["killed", "cut", "slow"].map(start));

  const client = new NatsDecisionClient({ servers: nats.url, deadlineMs: 4_000, attemptMs: 250 });
  closing.use(client);
  await client.up();
  const acknowledged: { node: string; generation: number; at: number }[] = [];
  const known = new Map<string, number>();
  const look = async (): Promise<Map<string, number>> => {
    for (const { node, serving } of await control.reports.all()) {
      const generation = serving[tenant] ?? 0;
      if (generation > (known.get(node) ?? 0)) acknowledged.push({ node, generation, at: performance.now() });
      known.set(node, generation);
    }
    return known;
  };
  const spread = async (generation: number, who: readonly string[]): Promise<number> => {
    const begun = performance.now();
    await publish(control, folder, key, generation);
    const changedAt = performance.now();
    for (;;) {
      const now = await look();
      if (who.every((node) => (now.get(node) ?? 0) >= generation)) return performance.now() - changedAt;
      if (performance.now() - begun > 15_000) return Infinity;
      await sleep(10);
    }
  };
  await spread(2, ["killed", "cut", "slow"]);

  const answers: Answer[] = [];
  let asked = 0;
  let failed = 0;
  const asker = { isOver: false };
  const asking = Array.from({ length: concurrency }, async () => {
    while (!asker.isOver) {
      const begun = performance.now();
      asked++;
      try {
        const answer = await client.decide(tenant, sampleEvent("PreToolUse"));
        const ms = performance.now() - begun;
        if (!answer.answered) {
          if (answer.verdict === "deny") failed++;
        } else {
          const { decision, node, attempts } = answer;
          const generation = Number(/^generation (\d+)$/.exec(decision.reason ?? "")?.[1]);
          answers.push({ id: decision.decision_id, node, generation, begun, ms, attempts });
        }
      } catch (error) {
        log(`a question ended with ${String(error)}`);
      }
    }
  });
  const spreadMs: number[] = [];
  const part = async (what: string, generation: number, who: readonly string[]): Promise<void> => {
    log(what);
    const until = performance.now() + partMs;
    await sleep(partMs / 3);
    spreadMs.push(await spread(generation, who));
    log(`generation ${generation} served by ${who.join(", ")} after ${spreadMs.at(-1)?.toFixed(0)} ms`);
    while (performance.now() < until) {
      await look();
      await sleep(20);
    }
  };
  await part("all three are well", 3, ["killed", "cut", "slow"]);
  nodes.get("killed")?.kill("SIGKILL");
  await part("one has been killed", 4, ["cut", "slow"]);
  proxy.cut();
  await part("another one is cut off", 5, ["slow"]);
  proxy.mend();
  await start("killed");
  await part("both are back", 6, ["killed", "cut", "slow"]);
  asker.isOver = true;
  await Promise.all(asking);

  // What was cut off hands on what it has spooled.
  await sleep(1_500);
  for (const child of nodes.values()) await endNode(child);
  const audit = await readAudit(control);
  const times = answers.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number): number => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
  const wentBack = answers.filter(({ node, generation, begun }) =>
    acknowledged.some((ack) => ack.node === node && ack.at < begun && generation < ack.generation),
  );
  return {
    asked,
    answered: answers.length,
    failedByPolicy: failed,
    lost: asked - answers.length - failed,
    askedAgain: answers.filter(({ attempts }) => attempts > 1).length,
    recorded: audit.decisions.size,
    recordedTwice: audit.twice,
    answeredUnrecorded: answers.filter(({ id }) => !audit.decisions.has(id)).length,
    answeredOtherwise: answers.filter(
      ({ id, generation }) =>
        (audit.decisions.get(id) ?? `generation ${generation}`) !== `generation ${generation}`,
    ).length,
    gapsInChains: audit.gaps,
    spreadMs,
    wentBack: wentBack.length,
    byNode: Object.fromEntries(
      Object.entries(Object.groupBy(answers, ({ node }) => node ?? "")).map(([node, of]) => [
        node,
        of?.length ?? 0,
      ]),
    ),
    latencyMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
  };
}

/** Decisions by id with their reasons, over all chains of the tenant. */
async function readAudit({
  stores,
}: NatsNode): Promise<{ decisions: Map<string, string>; twice: number; gaps: number }> {
  const decisions = new Map<string, string>();
  let twice = 0;
  let gaps = 0;
  for (const chain of await stores.audit.chains(tenant)) {
    let last = 0;
    let previous: string | null = null;
    for await (const { n, hash, line } of stores.audit.read(chain)) {
      if (n !== last + 1 || (previous !== null && !line.includes(`"prev":"${previous}"`))) gaps++;
      last = n;
      previous = hash;
      const { decision } = JSON.parse(line) as { decision?: { decision_id: string; reason: string } };
      if (!decision) continue;
      if (decisions.has(decision.decision_id)) twice++;
      decisions.set(decision.decision_id, decision.reason);
    }
  }
  return { decisions, twice, gaps };
}
