import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildBundle, generateKey, toPublicKey } from "hookwarden/bundle";
import { type Client, ServerError } from "@hookwarden/client";
import { eventOf, guard, packOf } from "../../../../test/bench/server/setup.ts";
import { startTestServer } from "../support.ts";

// What is stored was right when it came. What counts is whether it is right when it is to decide: a key is revoked because
// somebody else has it, and the packs that it has signed are what they would bring back into service.

const danger = eventOf("s1", "rm -rf /");
const signer = await generateKey("signer");
const other = await generateKey("other");
let folder: string;
let trust: string;

const trusting = (...keys: object[]): void => writeFileSync(trust, JSON.stringify({ keys }));
const revoked = { ...toPublicKey(signer), revoked: true };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hookwarden-stored-"));
  trust = join(folder, "trust.json");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function signed(version: string, key: object = signer): Promise<Buffer<ArrayBuffer>> {
  const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
  return Buffer.from((await buildBundle(files, { name: "guard", version, key, nodeModules: [] })).bytes);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "none",
    (error: unknown) => (error instanceof ServerError ? error.code : String(error)),
  );
}

async function verdictOf(client: Client): Promise<string> {
  return client.decide(danger).then(
    ({ verdict }) => verdict,
    (error: unknown) => (error as ServerError).code,
  );
}

describe("a stored revision whose key was revoked since", () => {
  it("is not activated, rolled back to, tried or put on trial, and does not serve after a restart", async () => {
    const data = mkdtempSync(join(folder, "data-"));
    trusting(toPublicKey(signer), toPublicKey(other));
    let key: string;
    {
      await using test = await startTestServer({ trust, data, audit: "off" });
      const made = await test.tenant("acme");
      const { client } = made;
      ({ key } = made);
      await client.putPack("acme", await signed("1.0.0"));
      await client.putPack("acme", await signed("1.1.0"));
      expect(await verdictOf(client)).toBe("deny");
      trusting(revoked, toPublicKey(other));
      for (const change of [
        () => client.activatePack("acme", { revision: 1 }),
        () => client.activatePack("acme", { revision: 1, percent: 10 }),
        () => client.rollbackPack("acme"),
        () => client.try("acme", { events: [danger], revision: 1 }),
        () => client.try("acme", { events: [danger] }),
      ])
        expect(await codeOf(change())).toBe("bundle-untrusted");
    }
    await using test = await startTestServer({ trust, data, audit: "off" });
    const client = (await import("@hookwarden/client")).createClient({ url: test.url, key });
    expect(await verdictOf(client)).toBe("not-ready");
    expect((await client.getPacks("acme")).broken).toBe("bundle-untrusted");
    expect(test.lines.some((line) => line.includes("pack-broken") && line.includes("bundle-untrusted"))).toBe(
      true,
    );
    // The way out is a pack that another key has signed.
    await client.putPack("acme", await signed("2.0.0", other));
    expect(await verdictOf(client)).toBe("deny");
    expect((await client.getPacks("acme")).broken).toBeNull();
  });

  it("is refused too where the trust file cannot be read", async () => {
    trusting(toPublicKey(signer));
    await using test = await startTestServer({ trust, audit: "off" });
    const { client } = await test.tenant("acme");
    await client.putPack("acme", await signed("1.0.0"));
    writeFileSync(trust, "{");
    expect(await codeOf(client.activatePack("acme", { revision: 1 }))).toBe("trust-unavailable");
  });
});

describe("a tenant that gets `signedOnly` while an unsigned pack serves", () => {
  it("is refused every event from then on, and is served again where the setting goes", async () => {
    trusting(toPublicKey(signer));
    await using test = await startTestServer({ trust, audit: "off" });
    const { client } = await test.tenant("acme", guard);
    await client.putPack("acme", { files: guard }, { rollout: "monitor", percent: 10 });
    expect(await verdictOf(client)).toBe("deny");
    await test.operator.putTenant("acme", { signedOnly: true });
    expect(await verdictOf(client)).toBe("not-ready");
    expect(await client.getPacks("acme")).toMatchObject({ broken: "bundle-untrusted", candidate: null });
    // Stored unsigned today, activated tomorrow.
    expect(await codeOf(client.activatePack("acme", { revision: 1 }))).toBe("bundle-untrusted");
    await test.operator.putTenant("acme", { signedOnly: false });
    expect(await verdictOf(client)).toBe("deny");
    expect((await client.getPacks("acme")).candidate).not.toBeNull();
  });

  it("may not try unsigned code either", async () => {
    await using test = await startTestServer({ audit: "off" });
    const { client } = await test.tenant("acme", undefined, { signedOnly: true });
    const script = { source: "export default () => null", on: ["PreToolUse"] as const };
    expect(await codeOf(client.try("acme", { events: [danger], script }))).toBe("bundle-untrusted");
    expect(await codeOf(client.try("acme", { events: [danger], files: guard }))).toBe("bundle-untrusted");
  });
});

describe("packs that the server itself has signed", () => {
  // They came as plain files: the server's signature says where they came through, and vouches for nothing.
  it("serve on where the trust file does not name its key, and never under `signedOnly`", async () => {
    trusting(toPublicKey(signer));
    await using test = await startTestServer({ trust, signingKey: other, audit: "off" });
    const { client } = await test.tenant("acme", guard);
    expect(await codeOf(client.activatePack("acme", { revision: 1 }))).toBe("none");
    await test.operator.putTenant("acme", { signedOnly: true });
    expect(await verdictOf(client)).toBe("not-ready");
  });
});

describe("a limit that is lowered below what serves", () => {
  it.each([
    ["residentHooks", { residentHooks: 1 }, "too-many-hooks"],
    ["memoryKb", { memoryKb: 1_024 }, "too-much-memory"],
  ] as const)("holds at once, and after a restart: %s", async (_, limits, code) => {
    const data = mkdtempSync(join(folder, "data-"));
    const second = packOf("export default () => undefined", { name: "second" });
    const two = { ...guard, ...second, "hookwarden.json": '{"apiVersion":1,"hooks":["guard","second"]}' };
    let key: string;
    {
      await using test = await startTestServer({ data, audit: "off" });
      const made = await test.tenant("acme", two);
      ({ key } = made);
      await test.operator.putTenant("acme", { limits });
      expect(await verdictOf(made.client)).toBe("not-ready");
      const script = { source: "export default () => null", on: ["PreToolUse"] as const };
      const tried = code === "too-many-hooks" ? { files: two } : { script };
      expect(await codeOf(made.client.try("acme", { events: [danger], ...tried }))).toBe(code);
    }
    await using test = await startTestServer({ data, audit: "off" });
    const client = (await import("@hookwarden/client")).createClient({ url: test.url, key });
    expect(await verdictOf(client)).toBe("not-ready");
    expect((await client.getPacks("acme")).broken).toBe(code);
    await test.operator.putTenant("acme", {});
    expect(await verdictOf(client)).toBe("deny");
  });
});
