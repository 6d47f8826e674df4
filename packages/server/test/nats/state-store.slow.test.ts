import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NatsLink } from "../../src/nats/link.ts";
import { NatsStateStore } from "../../src/nats/state-store.ts";
import { createWarden } from "hookwarden/warden";
import { fakePack } from "../../../../test/support/fake-pack.ts";
import { FakeSandbox } from "../../../../test/support/fake-sandbox.ts";
import { natsMissing, startNats, type TestNats } from "../../../../test/support/nats-server.ts";
import { sampleEvent } from "../../../../test/support/sample-events.ts";
import { stateKey, stateSuite } from "../../../../test/support/state-suite.ts";

describe.skipIf(natsMissing)("state in NATS", () => {
  let nats: TestNats;
  let link: NatsLink;
  let buckets = 0;
  beforeAll(async () => {
    nats = await startNats();
    link = new NatsLink({ servers: nats.url });
    await link.up();
  });
  afterAll(async () => {
    await link?.close();
    await nats?.close();
  });

  stateSuite("nats", (options) => new NatsStateStore(link, { bucket: `contract${++buckets}`, ...options }));

  test("two nodes that count lose no increment out of 400", async () => {
    const other = new NatsLink({ servers: nats.url });
    await other.up();
    let faults = 0;
    const run = async (of: NatsLink): Promise<void> => {
      const sandbox = new FakeSandbox();
      const count = (_: unknown, context: { state: number | null }) => ({
        action: "set_state",
        value: (context.state ?? 0) + 1,
      });
      const hooks = ["one", "two"].map((name) => ({
        name,
        state: { scope: "tenant", maxBytes: 100 } as const,
        run: count,
      }));
      const store = new NatsStateStore(of, { bucket: "counted" });
      const warden = await createWarden({ pack: fakePack(sandbox, hooks), sandbox, store });
      warden.on("fault", () => faults++);
      for (let index = 0; index < 200; index++) await warden.dispatch(sampleEvent("PreToolUse"));
      await warden[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    };
    await Promise.all([run(link), run(other)]);
    await other.close();
    expect(faults).toBe(0);
    const store = new NatsStateStore(link, { bucket: "counted" });
    for (const hook of ["one", "two"]) {
      const key = stateKey({ tenant: "default", hook, scope: "tenant", session: "" });
      expect((await store.read(key))?.value).toBe("400");
    }
    await store[Symbol.asyncDispose]();
  });

  test("nodes count retries together, so that a hook cannot start anew on each of them", async () => {
    const other = new NatsLink({ servers: nats.url });
    await other.up();
    const wardens = await Promise.all(
      [link, other].map(async (of) => {
        const sandbox = new FakeSandbox();
        let word = { action: "retry", feedback: "again" } as object;
        const hooks = [{ name: "again", on: ["Stop"] as const, run: () => word }];
        const store = new NatsStateStore(of, { bucket: "retries" });
        const warden = await createWarden({ pack: fakePack(sandbox, hooks), sandbox, store });
        return { warden, store, say: (said: object) => (word = said) };
      }),
    );
    const ask = async (at: number): Promise<string> => {
      const { verdict } = await wardens[at]!.warden.dispatch(sampleEvent("Stop"));
      return verdict;
    };
    // Three in a row are let through, whichever node they come to; then it is over on both.
    expect([await ask(0), await ask(1), await ask(0)]).toEqual(["retry", "retry", "retry"]);
    expect([await ask(1), await ask(0)]).toEqual(["continue", "continue"]);
    wardens[1]!.say({ action: "continue" });
    expect(await ask(1)).toBe("continue");
    expect(await ask(0)).toBe("retry");
    for (const { warden, store } of wardens) {
      await warden[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    }
    await other.close();
  });

  // A node dies between leaving its intents and deciding: what it meant to write must come true whole or not at all.
  test("what a node that died has left is undone by the next that comes", async () => {
    const { Kvm } = await import("@nats-io/kv");
    const { entryKey } = await import("../../src/nats/state-entry.ts");
    const store = new NatsStateStore(link, { bucket: "orphans" });
    const [one, two] = [stateKey(), stateKey({ session: "s2" })];
    await store.commit([{ key: one, value: "1", expected: 0 }]);
    const kv = await new Kvm(link.parts().js).open("orphans");
    await kv.put(entryKey(one), `?${JSON.stringify(["gone-1", "1", "2"])}`);
    await kv.put(entryKey(two), `?${JSON.stringify(["gone-1", null, "2"])}`);
    expect((await store.read(one))?.value).toBe("1");
    expect(await store.read(two)).toBeNull();
    expect((await kv.get("x.gone-1"))?.string()).toBe("aborted");
    // And one that had decided is carried out.
    await kv.put(entryKey(one), `?${JSON.stringify(["gone-2", "1", "3"])}`);
    await kv.put("x.gone-2", "committed");
    const record = await store.read(one);
    expect(record?.value).toBe("3");
    expect(await store.commit([{ key: one, value: "4", expected: record!.version }])).toBe(true);
    await store[Symbol.asyncDispose]();
  });

  test("deleted keys leave nothing for good, and a key that came back meanwhile stays", async () => {
    const store = new NatsStateStore(link, { bucket: "swept" });
    const [gone, back] = [stateKey(), stateKey({ session: "s2" })];
    for (const key of [gone, back]) {
      await store.commit([{ key, value: "1", expected: 0 }]);
      await store.commit([{ key, value: null, expected: (await store.read(key))!.version }]);
    }
    const before = (await store.read(back)) ?? null;
    expect(before).toBeNull();
    await store.commit([{ key: back, value: "2", expected: 0 }]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await store.sweep(0)).toBe(1);
    const { state } = await link.parts().jsm.streams.info("KV_swept");
    expect(state.messages).toBe(1);
    expect((await store.read(back))?.value).toBe("2");
    expect(await store.commit([{ key: gone, value: "3", expected: 0 }])).toBe(true);
    expect(await store.sweep(0)).toBe(0);
    await store[Symbol.asyncDispose]();
  });

  // Somebody with the rights to do so deletes the bucket: what was in it is gone, and hooks must not stay without state.
  test("a bucket that is taken away is made again", async () => {
    const store = new NatsStateStore(link, { bucket: "taken" });
    await store.commit([{ key: stateKey(), value: "1", expected: 0 }]);
    await link.parts().jsm.streams.delete("KV_taken");
    const again = async (): Promise<boolean> =>
      (await store.commit([{ key: stateKey(), value: "2", expected: 0 }]).catch(() => false)) === true;
    await expect.poll(again, { timeout: 8_000 }).toBe(true);
    expect((await store.read(stateKey()))?.value).toBe("2");
    await store[Symbol.asyncDispose]();
  });

  test("a record that no store has written is an error, and no state", async () => {
    const { Kvm } = await import("@nats-io/kv");
    const { entryKey } = await import("../../src/nats/state-entry.ts");
    const store = new NatsStateStore(link, { bucket: "corrupt" });
    expect(await store.read(stateKey())).toBeNull();
    const kv = await new Kvm(link.parts().js).open("corrupt");
    for (const text of [
      "",
      "1",
      "?",
      "?[]",
      '?["../x",null,null]',
      '?["a",1,null]',
      `?${"[".repeat(5_000)}`,
    ]) {
      await kv.put(entryKey(stateKey()), text);
      await expect(store.read(stateKey())).rejects.toThrow(/no store has written|JSON/);
    }
    await store[Symbol.asyncDispose]();
  });
});

describe.skipIf(natsMissing)("a NATS server that goes away", () => {
  test("is an error at once, and is found again when it comes back", async () => {
    const nats = await startNats();
    const link = new NatsLink({ servers: nats.url, timeoutMs: 500 });
    const store = new NatsStateStore(link);
    try {
      await expect(store.read(stateKey())).rejects.toThrow("no connection to NATS");
      await link.up();
      expect(await store.commit([{ key: stateKey(), value: "1", expected: 0 }])).toBe(true);
      await nats.kill();
      await expect.poll(() => link.connected).toBe(false);
      await expect(store.read(stateKey())).rejects.toMatchObject({ code: "nats-unavailable" });
      await nats.start();
      await expect.poll(() => link.connected, { timeout: 10_000 }).toBe(true);
      expect((await store.read(stateKey()))?.value).toBe("1");
    } finally {
      await store[Symbol.asyncDispose]();
      await link.close();
      await nats.close();
    }
  });
});
