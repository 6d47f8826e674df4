import { mkdtempSync, readdirSync, rmSync, appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NatsAuditStore } from "../../src/nats/audit-store.ts";
import { NatsLink } from "../../src/nats/link.ts";
import { fleetNames } from "../../src/nats/names.ts";
import type { AuditHead, AuditRecord } from "../../src/storage.ts";
import { natsMissing, startNats, type TestNats } from "../../../../test/support/nats-server.ts";

const chain = { tenant: "acme", node: "n1" };
const log = "00000000-0000-7000-8000-000000000000";
const record = (n: number, line = `{"n":${n}}`): AuditRecord => ({ n, hash: `h${n}`, line });
const headAt = (n: number): AuditHead => ({ n, hash: `h${n}`, seq: n, log, closed: false });

describe.skipIf(natsMissing)("the audit of a fleet", () => {
  let nats: TestNats;
  let link: NatsLink;
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-audit-"));
  let count = 0;
  beforeAll(async () => {
    nats = await startNats();
    link = new NatsLink({ servers: nats.url, timeoutMs: 500, pingMs: 500 });
    await link.up();
  });
  afterAll(async () => {
    await link?.close();
    await nats?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const options = (prefix = `audit${++count}`) => ({
    names: fleetNames(prefix),
    spool: { folder: join(folder, prefix) },
  });
  const numbers = async (store: NatsAuditStore, of = chain): Promise<number[]> => {
    const found: number[] = [];
    for await (const { n } of store.read(of)) found.push(n);
    return found;
  };

  test("keeps chains apart and in order, with where they stand", async () => {
    const store = await NatsAuditStore.open(link, options());
    const other = { tenant: "ünïcode.*>", node: "n1" };
    expect(await store.head(chain)).toBeNull();
    await store.append(chain, [record(1), record(2)], headAt(2));
    await store.append(other, [record(1)], headAt(1));
    await store.append(chain, [record(3)], headAt(3));
    expect(await numbers(store)).toEqual([1, 2, 3]);
    expect(await numbers(store, other)).toEqual([1]);
    expect((await store.chains()).map(({ tenant }) => tenant).sort()).toEqual(["acme", other.tenant]);
    expect(await store.chains("acme")).toEqual([chain]);
    const found: AuditRecord[] = [];
    for await (const one of store.read(chain, { after: 1, limit: 1 })) found.push(one);
    expect(found).toEqual([record(2)]);
    await store.close();
  });

  test("a batch larger than a message comes back whole", async () => {
    const store = await NatsAuditStore.open(link, options());
    const lines = ["é".repeat(900_000), "x".repeat(1_500_000)];
    await store.append(
      chain,
      lines.map((line, at) => record(at + 1, line)),
      headAt(2),
    );
    await store.append(chain, [record(3)], headAt(3));
    const read: number[] = [];
    for await (const { line } of store.read(chain)) read.push(line.length);
    expect(read.slice(0, 2)).toEqual([900_000, 1_500_000]);
    await store.close();
  });

  test(
    "while NATS is away records wait on the disk, and are handed on in order, once",
    { timeout: 30_000 },
    async () => {
      const settings = options();
      const store = await NatsAuditStore.open(link, settings);
      for (let n = 1; n <= 5; n++) await store.append(chain, [record(n)], headAt(n));
      await nats.kill();
      for (let n = 6; n <= 20; n++) await store.append(chain, [record(n)], headAt(n));
      expect(store.spooledBytes).toBeGreaterThan(0);
      await nats.start();
      await expect.poll(() => link.connected, { timeout: 10_000 }).toBe(true);
      for (let n = 21; n <= 25; n++) await store.append(chain, [record(n)], headAt(n));
      await expect.poll(() => store.spooledBytes, { timeout: 10_000 }).toBe(0);
      expect(await numbers(store)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
      expect(await store.head(chain)).toEqual(headAt(25));
      await store.close();
    },
  );

  test(
    "records that come while others are handed on get lost under none of it",
    { timeout: 60_000 },
    async () => {
      const settings = options();
      const store = await NatsAuditStore.open(link, {
        ...settings,
        spool: { ...settings.spool, segmentBytes: 2_000 },
      });
      const chains = ["a", "b", "c"].map((tenant) => ({ tenant, node: "n1" }));
      const counts = chains.map(() => 0);
      const asker = { isOver: false };
      const writing = chains.map(async (of, at) => {
        while (!asker.isOver) {
          const n = ++counts[at]!;
          await store.append(of, [record(n)], headAt(n));
        }
      });
      for (let times = 0; times < 3; times++) {
        await nats.kill();
        await new Promise((resolve) => setTimeout(resolve, 150));
        await nats.start();
        await expect.poll(() => link.connected, { timeout: 10_000 }).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, 150));
      }
      asker.isOver = true;
      await Promise.all(writing);
      await expect.poll(() => store.spooledBytes, { timeout: 20_000 }).toBe(0);
      for (const [at, of] of chains.entries()) {
        expect(await numbers(store, of)).toEqual(
          Array.from({ length: counts[at]! }, (_, index) => index + 1),
        );
      }
      await store.close();
    },
  );

  // The server has stored a batch, its answer was lost, and the node spooled it: the id of the message may be forgotten
  // by the time it is handed on, so that only the chain itself shows that it is there.
  test("what the stream has already is not handed on again, however late", async () => {
    const settings = options();
    const store = await NatsAuditStore.open(link, settings);
    await store.append(chain, [record(1), record(2), record(3)], headAt(3));
    await store.close();
    const { AuditSpool } = await import("../../src/nats/audit-spool.ts");
    const spool = new AuditSpool(settings.spool);
    await spool.recover(() => undefined);
    const aside = { ...headAt(3), log: "another id, as if the first were forgotten" };
    await spool.add({ chain, records: [record(2), record(3)], head: aside });
    await spool.add({ chain, records: [record(4)], head: headAt(4) });
    await spool.close();
    // A line that a crash has cut off was never promised to anybody.
    const [file] = readdirSync(settings.spool.folder);
    appendFileSync(join(settings.spool.folder, file!), '{"chain":{"tenant":"acme"');
    const again = await NatsAuditStore.open(link, settings);
    await expect.poll(() => again.spooledBytes).toBe(0);
    expect(await numbers(again)).toEqual([1, 2, 3, 4]);
    expect(await again.head(chain)).toEqual(headAt(4));
    await again.close();
  });

  test("a spool that is full refuses, and nothing is promised", { timeout: 30_000 }, async () => {
    const settings = options();
    const away = new NatsLink({ servers: "nats://127.0.0.1:1" });
    const store = await NatsAuditStore.open(away, {
      ...settings,
      spool: { ...settings.spool, maxBytes: 600 },
    });
    await store.append(chain, [record(1)], headAt(1));
    await expect(store.append(chain, [record(2, "x".repeat(600))], headAt(2))).rejects.toMatchObject({
      code: "log-failed",
    });
    await store.append(chain, [record(2)], headAt(2));
    await store.close();
    await away.close();
  });

  test("old records are removed by time, and the newest of a chain stays", async () => {
    const store = await NatsAuditStore.open(link, options());
    for (let n = 1; n <= 3; n++) await store.append(chain, [record(n)], headAt(n));
    expect(await store.prune("acme", Date.now() - 60_000)).toBe(0);
    expect(await store.prune("acme", Date.now() + 60_000)).toBe(2);
    expect(await numbers(store)).toEqual([3]);
    await store.close();
  });
});
