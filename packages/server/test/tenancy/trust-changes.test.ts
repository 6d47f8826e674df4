import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { buildBundle, generateKey, toPublicKey } from "hookwarden/bundle";
import type { Client, ServerError } from "@hookwarden/client";
import { eventOf, guard } from "../../../../test/bench/server/setup.ts";
import { startTestServer } from "../support.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-trust-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const danger = eventOf("s1", "rm -rf /");
const signer = await generateKey("signer");
const trust = join(folder, "trust.json");
const write = (revoked: boolean): void =>
  writeFileSync(
    trust,
    JSON.stringify({ keys: [{ ...toPublicKey(signer), ...(revoked ? { revoked } : {}) }] }),
  );

async function signed(version: string): Promise<Buffer<ArrayBuffer>> {
  const files = new Map(Object.entries(guard).map(([path, text]) => [path, Buffer.from(text)]));
  const { bytes } = await buildBundle(files, { name: "guard", version, key: signer, nodeModules: [] });
  return Buffer.from(bytes);
}

async function verdictOf(client: Client): Promise<string> {
  return client.decide(danger).then(
    ({ verdict }) => verdict,
    (error: unknown) => (error as ServerError).code,
  );
}

// A signing key was stolen. The operator revokes it in the trust file, and the packs that it signed must stop deciding
// without a restart.
describe("a trust file that is edited while the server runs", () => {
  it("stops the packs of a revoked key at once, those on trial included, and lets them serve again", async () => {
    write(false);
    await using test = await startTestServer({ trust, audit: "off" });
    const { client } = await test.tenant("acme");
    const { client: other } = await test.tenant("other", guard);
    await client.putPack("acme", await signed("1.0.0"));
    await other.putPack("other", await signed("1.0.0"), { rollout: "monitor", percent: 10 });
    expect(await verdictOf(client)).toBe("deny");
    write(true);
    await expect.poll(() => verdictOf(client), { timeout: 5_000 }).toBe("not-ready");
    expect((await client.getPacks("acme")).broken).toBe("bundle-untrusted");
    await expect.poll(async () => (await other.getPacks("other")).candidate).toBeNull();
    // Unsigned packs are not affected.
    expect(await verdictOf(other)).toBe("deny");
    write(false);
    await expect.poll(() => verdictOf(client), { timeout: 5_000 }).toBe("deny");
    await expect.poll(() => test.lines.some((line) => line.includes('"trust-changed"'))).toBe(true);
  });

  it("keeps serving while the file is unreadable for a moment, and follows a file that replaces it", async () => {
    write(false);
    await using test = await startTestServer({ trust, audit: "off" });
    const { client } = await test.tenant("acme");
    await client.putPack("acme", await signed("1.0.0"));
    writeFileSync(trust, "{");
    await expect.poll(() => test.lines.some((line) => line.includes("trust-unavailable"))).toBe(true);
    expect(await verdictOf(client)).toBe("deny");
    const next = join(folder, "next.json");
    writeFileSync(next, JSON.stringify({ keys: [{ ...toPublicKey(signer), revoked: true }] }));
    renameSync(next, trust);
    await expect.poll(() => verdictOf(client), { timeout: 5_000 }).toBe("not-ready");
  });
});

describe("where reviews are required", () => {
  // `try` ran any code of a tenant, though none may serve without a review.
  it("a dry run of code without a review is refused", async () => {
    write(false);
    await using test = await startTestServer({ requireReview: { records: [], trust }, audit: "off" });
    const { client } = await test.tenant("acme");
    const script = { source: "export default () => undefined", on: ["PreToolUse"] as const };
    for (const code of [{ script }, { files: guard }]) {
      await expect(client.try("acme", { events: [danger], ...code })).rejects.toMatchObject({
        code: "review-required",
      });
    }
  });
});
