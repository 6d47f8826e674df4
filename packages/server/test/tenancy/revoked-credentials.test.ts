import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Credentials, makeKey } from "../../src/credentials.ts";
import { liveStream } from "../../src/routes/live.ts";
import type { AuditStore, KeyStore } from "../../src/storage.ts";
import { eventOf, guard } from "../../../../test/bench/server/setup.ts";
import { startTestServer } from "../support.ts";

const danger = eventOf("after-revocation", "rm -rf /");

/** What comes over a stream of live events. */
async function watch(url: string, key: string): Promise<{ text: string; ended: Promise<void> }> {
  const answer = await fetch(`${url}/v1/admin/live`, { headers: { authorization: `Bearer ${key}` } });
  const seen = { text: "", ended: Promise.resolve() };
  seen.ended = (async () => {
    for await (const part of answer.body!) seen.text += Buffer.from(part).toString();
  })();
  await expect.poll(() => seen.text).toContain("watching");
  return seen;
}

describe("a credential that ends while a stream is open", () => {
  it("sees nothing that happens after it was revoked or has expired", async () => {
    await using test = await startTestServer({ audit: "off" });
    const { client } = await test.tenant("acme", guard);
    const thief = await test.operator.makeKey({ tenant: null, name: "thief" });
    const expires = new Date(Date.now() + 700).toISOString();
    const brief = await test.operator.makeKey({ tenant: null, name: "brief", expires });
    const streams = [await watch(test.url, thief.key), await watch(test.url, brief.key)];
    await test.operator.revokeKey(thief.record.id);
    await client.decide(danger);
    await sleep(Math.max(0, Date.parse(expires) - Date.now()) + 50);
    await Promise.all(streams.map(({ ended }) => ended));
    await client.decide(danger);
    expect(streams[0]!.text).not.toContain("after-revocation");
    expect(streams[0]!.text).not.toContain("event: decision");
  });

  // An export that ends in order looks whole: the rest of the tenant's records would seem never to have been.
  it("gets no further page of an audit, and cannot take what it has for all of it", async () => {
    await using test = await startTestServer();
    const { client, key } = await test.tenant("acme", guard);
    await client.decide(danger);
    const id = key.split("_")[1] as string;
    const { audit } = test.server.context.stores as { audit: AuditStore };
    const read = audit.read.bind(audit);
    audit.read = async function* (chain, range) {
      for await (const record of read(chain, range)) {
        yield record;
        await test.operator.revokeKey(id).catch(() => undefined);
      }
    };
    const text = await new Response(await client.exportAudit("acme")).text().catch((error: unknown) => error);
    expect(text).toBeInstanceOf(Error);
    expect(test.lines.filter((line) => line.includes("internal-error"))).toEqual([]);
  });

  it("is looked at before each batch of events", async () => {
    let isOver = false;
    const never = { watch: () => ({ [Symbol.dispose]: () => undefined }) };
    const stream = liveStream(never as never, undefined, async () => isOver);
    expect((await stream.next()).value).toContain("watching");
    isOver = true;
    expect((await stream.next()).done).toBe(true);
  });
});

describe("a key that expires on a connection that is kept", () => {
  it("is refused from that moment on", async () => {
    const expires = new Date(Date.now() + 300).toISOString();
    const { key, record } = makeKey({ tenant: "acme", name: "k", scopes: ["decide"], expires });
    const credentials = new Credentials({ find: () => record } as unknown as KeyStore, null);
    const connection = {};
    expect(await credentials.check(`Bearer ${key}`, connection)).toMatchObject({ tenant: "acme" });
    await sleep(Date.parse(expires) - Date.now() + 20);
    expect(await credentials.check(`Bearer ${key}`, connection)).toBeNull();
  });
});

describe("a key that is revoked while a slow store is asked for it", () => {
  /** A store that answers with what it found when it was asked. */
  function slowStore() {
    const { key, record } = makeKey({ tenant: "acme", name: "k", scopes: ["decide"], expires: null });
    let revoked: string | null = null;
    let wait = Promise.withResolvers<void>();
    const store = {
      async find() {
        const found = { ...record, revoked };
        await wait.promise;
        return found;
      },
    } as unknown as KeyStore;
    return {
      key,
      store,
      revoke: () => void (revoked = new Date().toISOString()),
      answer() {
        wait.resolve();
        wait = Promise.withResolvers<void>();
        wait.resolve();
      },
    };
  }

  it("is refused, then and afterwards", async () => {
    const { key, store, revoke, answer } = slowStore();
    const credentials = new Credentials(store, null);
    const connection = {};
    const first = credentials.check(`Bearer ${key}`, connection);
    revoke();
    credentials.forget();
    answer();
    expect(await first).toBeNull();
    expect(await credentials.check(`Bearer ${key}`, connection)).toBeNull();
    expect(await credentials.check(`Bearer ${key}`)).toBeNull();
  });

  it("is refused where keys change all the time, and nothing waits for ever", async () => {
    const { key, store, answer } = slowStore();
    const credentials: Credentials = new Credentials(
      { ...store, find: async (id: string) => (credentials.forget(), store.find(id)) } as KeyStore,
      null,
    );
    answer();
    await expect(async () => credentials.check(`Bearer ${key}`)).rejects.toMatchObject({ code: "not-ready" });
  });
});
