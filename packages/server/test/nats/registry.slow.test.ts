import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kvm } from "@nats-io/kv";
import { Objm } from "@nats-io/obj";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateKey } from "hookwarden/bundle";
import { sha256 } from "hookwarden/files";
import { BundleObjects } from "../../src/nats/bundle-objects.ts";
import { NatsLink } from "../../src/nats/link.ts";
import { NatsPackStore } from "../../src/nats/pack-store.ts";
import { Registry } from "../../src/nats/registry.ts";
import { RecordSigner } from "../../src/nats/signed-record.ts";
import { tokenOf } from "../../src/nats/names.ts";
import type { RolloutStep } from "../../src/storage.ts";
import type { Rollout } from "../../src/rollout.ts";
import { natsMissing, startNats, type TestNats } from "../../../../test/support/nats-server.ts";

const step = (active: number | null, expected?: number): RolloutStep => ({
  what: "activate",
  active,
  candidate: null,
  by: "test",
  ...(expected === undefined ? {} : { expected }),
});

describe.skipIf(natsMissing)("packs of a fleet", () => {
  let nats: TestNats;
  let link: NatsLink;
  let key: Awaited<ReturnType<typeof generateKey>>;
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-registry-"));
  const opened: Registry[] = [];
  let folders = 0;
  beforeAll(async () => {
    nats = await startNats();
    link = new NatsLink({ servers: nats.url, timeoutMs: 1_000 });
    await link.up();
    key = await generateKey("fleet");
  });
  afterAll(async () => {
    for (const registry of opened) await registry.close();
    await link?.close();
    await nats?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function node(
    fleet: string,
    at = join(folder, `node${++folders}`),
    options = { key: key as unknown },
  ) {
    const seal = await RecordSigner.create(options);
    const registry = await Registry.open(link, seal, {
      bucket: `${fleet}_records`,
      folder: join(at, "records"),
      checkMs: 200,
    });
    opened.push(registry);
    const objects = new BundleObjects(link, {
      bucket: `${fleet}_bundles`,
      folder: join(at, "bundles"),
      timeoutMs: 1_000,
    });
    return { at, registry, objects, packs: new NatsPackStore(registry, objects) };
  }
  const revision = (tenant: string, bytes: Uint8Array) => ({
    tenant,
    pack: "sha256:pack",
    bundle: sha256(bytes),
    name: "p",
    version: "1.0.0",
    signedBy: null,
    hooks: 1,
    createdBy: "test",
  });

  test("reach every node, numbered once, with the bytes that were put", async () => {
    const [one, two] = [await node("f1"), await node("f1")];
    const seen: Rollout[] = [];
    using _ = two.packs.watch((rollout) => seen.push(rollout));
    const bytes = [Buffer.from("first"), Buffer.from("x".repeat(400_000))];
    const put = await Promise.all(
      [one, two, one, two].map(({ packs }, at) => packs.put(revision("a", bytes[at % 2]!), bytes[at % 2]!)),
    );
    expect(put.map((made) => made.revision).sort()).toEqual([1, 2, 3, 4]);
    expect(await one.packs.change("a", step(1))).toMatchObject({ generation: 1, active: 1 });
    await expect.poll(() => two.packs.rollout("a")).toMatchObject({ generation: 1, active: 1 });
    expect(seen).toMatchObject([{ tenant: "a", generation: 1, active: 1 }]);
    for (const { revision: number, bundle } of put) {
      const read = await two.packs.bundle("a", number);
      expect(sha256(read!)).toBe(bundle);
    }
    // Of two that decide on the same generation, one is too late.
    const both = await Promise.all([one.packs.change("a", step(2, 1)), two.packs.change("a", step(3, 1))]);
    expect(both.filter((done) => done === null)).toHaveLength(1);
    expect(two.packs.history("a", 10)).toHaveLength(2);
  });

  // Somebody who may write to NATS, but has no key of the fleet.
  test("a forged, replayed, swapped or deleted record changes nothing, and takes no node down", async () => {
    const one = await node("f2");
    const stranger = await node("f2", undefined, { key: await generateKey("fleet") });
    const kv = await new Kvm(link.parts().js).open("f2_records");
    const name = `rollout.${tokenOf("a")}`;
    await one.packs.change("a", step(1));
    const old = (await kv.get(name))!.value;
    await one.packs.change("a", step(2));
    const other = (await kv.get(name))!.value;
    const refused = one.registry.refused;
    const forged = await (
      await RecordSigner.create({ key: await generateKey("fleet") })
    ).close({
      key: name,
      version: 99,
      value: { tenant: "a", generation: 99, active: 9, candidate: null, history: [] },
    });
    const hostile: Uint8Array[] = [
      forged,
      old,
      Buffer.alloc(0),
      Buffer.from("\n"),
      Buffer.from("{}"),
      Buffer.from("[".repeat(900_000)),
      Buffer.from(`${"A".repeat(900)}..${"B".repeat(86)}\n{"key":"${name}","version":1e999,"value":1}`),
    ];
    for (const bytes of hostile) await kv.put(name, bytes);
    // A record that is genuine, under the name of another tenant.
    await kv.put(`rollout.${tokenOf("victim")}`, other);
    await kv.delete(name);
    await kv.purge(name);
    await one.packs.change("probe", step(1));
    await expect.poll(() => one.registry.refused - refused).toBe(hostile.length + 1);
    expect(one.packs.rollout("a")).toMatchObject({ generation: 2, active: 2 });
    expect(one.packs.rollout("victim")).toMatchObject({ generation: 0, active: null });
    expect(stranger.packs.rollout("a").generation).toBe(0);
    // And the node that was lied to can still change it.
    expect(await one.packs.change("a", step(3, 2))).toMatchObject({ generation: 3 });
  });

  test("a restart knows what was known, with NATS away, and takes nothing older afterwards", async () => {
    const one = await node("f3");
    const bytes = Buffer.from("a bundle");
    await one.packs.put(revision("a", bytes), bytes);
    await one.packs.change("a", step(1));
    const kv = await new Kvm(link.parts().js).open("f3_records");
    const old = (await kv.get(`rollout.${tokenOf("a")}`))!.value;
    await one.packs.change("a", step(null));
    await one.packs.change("a", step(1));
    await one.registry.close();
    const away = new NatsLink({ servers: "nats://127.0.0.1:1" });
    const seal = await RecordSigner.create({ key });
    const alone = await Registry.open(away, seal, { bucket: "f3_records", folder: join(one.at, "records") });
    const objects = new BundleObjects(away, { bucket: "f3_bundles", folder: join(one.at, "bundles") });
    const packs = new NatsPackStore(alone, objects);
    expect(packs.rollout("a")).toMatchObject({ generation: 3, active: 1 });
    expect(Buffer.from((await packs.bundle("a", 1))!).toString()).toBe("a bundle");
    await alone.close();
    await away.close();
    await kv.put(`rollout.${tokenOf("a")}`, old);
    const again = await node("f3", one.at);
    expect(again.packs.rollout("a").generation).toBe(3);
  });

  test("an object that was changed, cut, linked or emptied is as good as none", async () => {
    const [one, two] = [await node("f4"), await node("f4")];
    const bytes = Buffer.from("genuine ".repeat(50_000));
    const digest = await one.objects.put(bytes);
    const store = await new Objm(link.parts().js).open("f4_bundles");
    const name = digest.replace("sha256:", "");
    await store.putBlob({ name }, Buffer.from("hostile"));
    expect(await two.objects.get(digest)).toBeNull();
    const { nuid } = (await store.info(name))! as unknown as { nuid: string };
    await link.parts().jsm.streams.purge("OBJ_f4_bundles", { filter: `$O.f4_bundles.C.${nuid}` });
    expect(await two.objects.get(digest)).toBeNull();
    await store.delete(name);
    expect(await two.objects.get(digest)).toBeNull();
    const elsewhere = await store.putBlob({ name: "elsewhere" }, bytes);
    expect(elsewhere.size).toBe(bytes.length);
    const meta = { name, bucket: "f4_bundles", options: { link: { bucket: "f4_other", name: "x" } } };
    const subject = `$O.f4_bundles.M.${Buffer.from(name).toString("base64url")}`;
    await link.parts().js.publish(subject, JSON.stringify(meta));
    expect(await two.objects.get(digest)).toBeNull();
    await link.parts().js.publish(subject, "not even JSON");
    expect(await two.objects.get(digest)).toBeNull();
    expect(sha256((await one.objects.get(digest))!)).toBe(digest);
  });

  test("a node without the fleet's key follows, and changes nothing", async () => {
    const one = await node("f5");
    const { kty, crv, x, kid } = key;
    const trust = { keys: [{ kty, crv, x, kid }] };
    const follower = await node("f5", undefined, { trust } as never);
    await one.packs.change("a", step(1));
    await expect.poll(() => follower.packs.rollout("a").generation).toBe(1);
    await expect(follower.packs.change("a", step(2))).rejects.toMatchObject({ code: "option-invalid" });
  });
});
