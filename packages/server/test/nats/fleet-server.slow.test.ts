import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateKey } from "hookwarden/bundle";
import { makeKey } from "../../src/credentials.ts";
import { createFleetServer, type FleetServer } from "../../src/nats/index.ts";
import { publish, trialTenant } from "../../../../test/support/fleet-nodes.ts";
import { natsMissing, startNats, type TestNats } from "../../../../test/support/nats-server.ts";
import { sampleEvent } from "../../../../test/support/sample-events.ts";

describe.skipIf(natsMissing)("two servers of a fleet", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-two-"));
  let nats: TestNats;
  let one: FleetServer;
  let two: FleetServer;
  let key: unknown;
  const lines: string[] = [];
  const open = (node: string): Promise<FleetServer> =>
    createFleetServer(
      {
        port: 0,
        where: "inline",
        quarantine: { faults: 2, firstMs: 60_000 },
        log: (line) => lines.push(line),
      },
      { servers: nats.url, node, folder: join(folder, node), key, timeoutMs: 500, pingMs: 500 },
    );
  const decide = (server: FleetServer) =>
    server.decisions.decide({
      tenant: trialTenant,
      body: Buffer.from(JSON.stringify(sampleEvent("PreToolUse"))),
    });
  const record = (disabled: boolean) => ({
    tenant: trialTenant,
    created: new Date().toISOString(),
    disabled,
    limits: {},
    signedOnly: false,
  });
  beforeAll(async () => {
    nats = await startNats();
    key = await generateKey("fleet");
    one = await open("one");
    two = await open("two");
  });
  afterAll(async () => {
    await one?.close();
    await two?.close();
    await nats?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a tenant that is made, packed, disabled or removed on one is so on the other", async () => {
    await one.context.registry.put(record(false));
    await publish(one.node, folder, key, 1);
    await expect.poll(async () => (await decide(two)).status).toBe(200);
    expect(JSON.parse((await decide(two)).body)).toMatchObject({ verdict: "deny", reason: "generation 1" });
    await two.context.registry.put(record(true));
    await expect.poll(async () => (await decide(one)).status).toBe(403);
    await one.context.registry.put(record(false));
    await expect.poll(async () => (await decide(two)).status).toBe(200);
    const reports = await one.node.reports.all();
    // What others write to the bucket of reports is left out, and hides no node.
    const { Kvm } = await import("@nats-io/kv");
    const kv = await new Kvm(one.node.link.parts().js).open("hookwarden_nodes");
    await kv.put("forged", JSON.stringify({ ...reports[0], node: "forged", serving: { acme: "<b>" } }));
    await kv.put("broken", "{");
    expect(await one.context.options.nodes!()).toHaveLength(2);
    expect(reports.map(({ node, serving }) => [node, serving[trialTenant]])).toEqual([
      ["one", 1],
      ["two", 1],
    ]);
  });

  test("a key that is made on one is good on the other, and no longer when it is revoked", async () => {
    const made = makeKey({ tenant: trialTenant, name: "k", scopes: ["decide"], expires: null });
    await one.context.stores.keys.add(made.record);
    const header = `Bearer ${made.key}`;
    await expect.poll(() => two.context.credentials.check(header)).toMatchObject({ tenant: trialTenant });
    await one.context.stores.keys.revoke(made.record.id, new Date().toISOString());
    await expect.poll(() => two.context.credentials.check(header)).toBeNull();
  });

  test("a hook that one has quarantined is so on the other, and either lifts it for both", async () => {
    const quarantine = { tenant: trialTenant, hook: "say", program: "p", times: 1, fault: "timeout" };
    const now = Date.now();
    await one.context.stores.quarantine.put({ ...quarantine, since: now, until: now + 60_000 });
    for (const server of [one, two])
      await expect.poll(() => server.operator.quarantine().map(({ hook }) => hook)).toEqual(["say"]);
    expect(await two.operator.lift(two.operator.quarantine()[0]!.id)).toBe(true);
    await expect.poll(() => one.operator.quarantine()).toEqual([]);
  });

  test("without NATS a server goes on, records what it decides, and comes up again with what it knew", async () => {
    await nats.kill();
    await expect.poll(() => one.node.link.connected, { timeout: 5_000 }).toBe(false);
    const alone: string[] = [];
    for (let count = 0; count < 5; count++) {
      const { status, body } = await decide(one);
      expect(status).toBe(200);
      alone.push((JSON.parse(body) as { decision_id: string }).decision_id);
    }
    // No pack can be changed meanwhile, and that is said.
    await expect(publish(one.node, folder, key, 2)).rejects.toMatchObject({ code: "nats-unavailable" });
    await two.close();
    two = await open("two");
    const { body } = await decide(two);
    expect(JSON.parse(body)).toMatchObject({ reason: "generation 1" });
    alone.push((JSON.parse(body) as { decision_id: string }).decision_id);
    await nats.start();
    await expect
      .poll(() => one.node.link.connected && two.node.link.connected, { timeout: 10_000 })
      .toBe(true);
    const recorded = async (): Promise<string[]> => {
      const ids: string[] = [];
      for (const chain of await one.context.stores.audit.chains(trialTenant)) {
        for await (const { line } of one.context.stores.audit.read(chain)) {
          const { decision } = JSON.parse(line) as { decision?: { decision_id: string } };
          if (decision && alone.includes(decision.decision_id)) ids.push(decision.decision_id);
        }
      }
      return ids.sort();
    };
    await expect.poll(recorded, { timeout: 10_000 }).toEqual(alone.sort());
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toContain("nats-lost");
  });
});
