import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kvm } from "@nats-io/kv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "hookwarden/bundle";
import { natsMissing, startNats, type TestNats } from "../../../test/support/nats-server.ts";
import type { ApprovalAnswer, ApprovalRecord } from "../src/approvals/approval.ts";
import { openSqliteStores } from "../src/index.ts";
import { NatsApprovalStore } from "../src/nats/approval-store.ts";
import { NatsLink } from "../src/nats/link.ts";
import { Registry } from "../src/nats/registry.ts";
import { RecordSigner } from "../src/nats/signed-record.ts";
import type { ApprovalStore } from "../src/storage.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-approval-store-"));
let ids = 0;

function pending(tenant: string, more: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    tenant,
    id: `apr_${++ids}`,
    decisionId: "d1",
    pack: "sha256:0",
    event: { tool_input: { command: "rm -rf build" } },
    changes: {},
    input: `sha256:${"1".repeat(64)}`,
    reasons: [{ hook: "guard", text: "removes files" }],
    openedBy: "host",
    created: new Date(ids).toISOString(),
    expires: "2999-01-01T00:00:00.000Z",
    state: "pending",
    answeredBy: null,
    answeredAt: null,
    note: null,
    ...more,
  };
}

function answer(state: ApprovalAnswer["state"], by: string | null = "ada"): ApprovalAnswer {
  return { state, by, at: new Date().toISOString(), note: null };
}

/** Nodes of one installation: with SQLite there is one, in a fleet there are several. */
interface Installation {
  readonly nodes: readonly ApprovalStore[];
  close(): Promise<void>;
}

function sqlite(): Installation {
  const stores = openSqliteStores({ folder: mkdtempSync(join(folder, "sqlite-")) });
  return { nodes: [stores.approvals, stores.approvals], close: () => stores[Symbol.asyncDispose]() };
}

describe("approvals in SQLite", () => {
  keepContract(async () => sqlite());
});

describe.skipIf(natsMissing)("approvals in NATS", () => {
  let nats: TestNats;
  let link: NatsLink;
  let key: Awaited<ReturnType<typeof generateKey>>;
  beforeAll(async () => {
    nats = await startNats();
    link = new NatsLink({ servers: nats.url, timeoutMs: 1_000 });
    await link.up();
    key = await generateKey("fleet");
  });
  afterAll(async () => {
    await link?.close();
    await nats?.close();
  });

  let fleets = 0;
  async function node(bucket: string, signing: unknown = key): Promise<Registry> {
    const at = mkdtempSync(join(folder, "nats-"));
    const signer = await RecordSigner.create({ key: signing });
    return Registry.open(link, signer, { bucket, folder: at, checkMs: 200 });
  }
  async function fleet(): Promise<Installation> {
    const bucket = `approvals${++fleets}`;
    const registries = [await node(bucket), await node(bucket)];
    return {
      nodes: registries.map((registry) => new NatsApprovalStore(registry)),
      async close() {
        for (const registry of registries) await registry.close();
      },
    };
  }
  keepContract(fleet);

  it("reach the other nodes, with every change", async () => {
    const { nodes, close } = await fleet();
    const [one, two] = nodes as [ApprovalStore, ApprovalStore];
    const seen: string[] = [];
    using _ = two.watch!(({ id, state }) => seen.push(`${id} ${state}`));
    const record = pending("acme");
    await one.add(record);
    await expect.poll(() => two.get("acme", record.id)).toEqual(record);
    expect(await two.close("acme", record.id, answer("denied"))).toMatchObject({ state: "denied" });
    await expect.poll(() => one.get("acme", record.id)).toMatchObject({ state: "denied", answeredBy: "ada" });
    expect(seen).toEqual([`${record.id} pending`, `${record.id} denied`]);
    await close();
  });

  // Attack: somebody who may write to NATS, but has no key of the fleet, approves a step, or opens the same one again.
  it("are not approved by a record that the fleet has not signed, nor by one of before", async () => {
    const bucket = `approvals${++fleets}`;
    const registry = await node(bucket);
    const store = new NatsApprovalStore(registry);
    const record = pending("acme");
    await store.add(record);
    const kv = await new Kvm(link.parts().js).open(bucket);
    const name = registry.list("approval.")[0]!.key;
    const opened = (await kv.get(name))!.value;
    const forger = await RecordSigner.create({ key: await generateKey("fleet") });
    const value = { ...record, state: "approved", answeredBy: "eve" };
    await kv.put(name, await forger.close({ key: name, version: 99, value }));
    await expect.poll(() => registry.refused).toBe(1);
    expect(store.get("acme", record.id)).toEqual(record);
    expect(await store.close("acme", record.id, answer("denied"))).toMatchObject({ state: "denied" });
    await kv.put(name, opened);
    await expect.poll(() => registry.refused).toBe(2);
    expect(store.get("acme", record.id)).toMatchObject({ state: "denied" });
    expect(await store.close("acme", record.id, answer("approved"))).toBeNull();
    await registry.close();
  });

  // Without NATS no node can know whether another has answered: nothing is approved then.
  it("take no answer while NATS is away", async () => {
    const away = new NatsLink({ servers: nats.url, timeoutMs: 300 });
    await away.up();
    const signer = await RecordSigner.create({ key });
    const at = mkdtempSync(join(folder, "away-"));
    const registry = await Registry.open(away, signer, { bucket: "approvals-away", folder: at });
    const store = new NatsApprovalStore(registry);
    const record = pending("acme");
    await store.add(record);
    await away.close();
    await expect(store.close("acme", record.id, answer("approved"))).rejects.toMatchObject({
      code: "nats-unavailable",
    });
    expect(store.get("acme", record.id)).toEqual(record);
    await registry.close();
  });
});

/** What every store of approvals must do. */
function keepContract(open: () => Promise<Installation>): void {
  let installation: Installation;
  let one: ApprovalStore;
  let two: ApprovalStore;
  beforeAll(async () => {
    installation = await open();
    [one, two] = installation.nodes as [ApprovalStore, ApprovalStore];
  });
  afterAll(() => installation?.close());

  it("are kept as they were opened, each in its tenant", async () => {
    const record = pending("acme");
    await one.add(record);
    expect(await one.get("acme", record.id)).toEqual(record);
    expect(await one.get("other", record.id)).toBeNull();
    expect(await one.get("acme", "apr_none")).toBeNull();
  });

  // Two people answer at the same moment, on two nodes, one yes and one no: exactly one answer may count.
  it("are closed by exactly one of several answers, on any node", async () => {
    for (let round = 0; round < 5; round++) {
      const record = pending("races");
      await one.add(record);
      await expect.poll(() => two.get("races", record.id)).not.toBeNull();
      const closed = await Promise.all([
        one.close("races", record.id, answer("approved")),
        two.close("races", record.id, answer("denied", "bob")),
        one.close("races", record.id, answer("denied")),
      ]);
      const winners = closed.filter((each) => each !== null);
      expect(winners).toHaveLength(1);
      await expect.poll(() => two.get("races", record.id)).toEqual(winners[0]);
    }
  });

  it("are not closed too late, too early, or where there are none", async () => {
    const late = pending("times", { expires: new Date(0).toISOString() });
    const open = pending("times");
    await one.add(late);
    await one.add(open);
    expect(await one.close("times", late.id, answer("approved"))).toBeNull();
    expect(await one.close("times", late.id, answer("expired", null))).toMatchObject({ state: "expired" });
    expect(await one.close("times", open.id, answer("expired", null))).toBeNull();
    expect(await one.close("times", "apr_none", answer("approved"))).toBeNull();
    expect(await one.get("times", open.id)).toEqual(open);
  });

  it("are listed with the newest first, by tenant and state, and removed once they are old and closed", async () => {
    const records = ["a", "b", "a"].map((tenant) => pending(`list-${tenant}`));
    for (const record of records) await one.add(record);
    const [first, second, third] = records as [ApprovalRecord, ApprovalRecord, ApprovalRecord];
    await one.close("list-a", first.id, answer("denied"));
    const listed = async (tenant: string | null, state?: ApprovalRecord["state"]): Promise<string[]> =>
      (await one.list(tenant, { limit: 100, ...(state ? { state } : {}) })).map(({ id }) => id);
    expect(await listed("list-a")).toEqual([third.id, first.id]);
    expect(await listed("list-a", "pending")).toEqual([third.id]);
    expect((await listed(null)).slice(0, 3)).toEqual([third.id, second.id, first.id]);
    expect((await one.list(null, { limit: 1 })).map(({ id }) => id)).toEqual([third.id]);
    await one.prune(new Date(ids + 1).toISOString());
    expect(await one.get("list-a", first.id)).toBeNull();
    expect(await one.get("list-a", third.id)).toEqual(third);
  });
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));
