import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../sandbox/index.ts";
import { generateKey, type PrivateKeyJwk, publicHalf } from "../../src/bundle/index.ts";
import type { RequiredReview } from "../../src/bundle/review-record.ts";
import { loadPack } from "../../src/pack/load.ts";
import {
  readSubject,
  review,
  reviewRecord,
  type ReviewRecord,
  type SignedReview,
  signReview,
} from "../../src/review/index.ts";
import { createWarden } from "../../src/warden.ts";
import { packOf } from "./malicious/pack.ts";

const source =
  'export default (event) => (event.tool_input.command === "rm" ? { action: "deny", reason: "no" } : undefined);';
const manifest = {
  on: [{ event: "PreToolUse", matcher: "Bash" }],
  reads: ["tool_input.command"],
  actions: ["deny"],
};

let sandbox: Sandbox;
let key: PrivateKeyJwk;
let other: PrivateKeyJwk;
beforeAll(async () => {
  sandbox = await createSandbox({ isolation: "inline" });
  key = await generateKey("alice");
  other = await generateKey("mallory");
});
afterAll(() => sandbox[Symbol.asyncDispose]());

async function signed(
  path: string,
  decision: "approve" | "refuse",
  by: PrivateKeyJwk = key,
): Promise<SignedReview> {
  const report = await review({ subject: await readSubject(path), events: [], sandbox, other: null });
  return signReview(
    reviewRecord(report, { decision, reviewer: "Alice", reviewed: "2026-02-03T10:00:00Z" }),
    by,
  );
}

const required = (...records: RequiredReview["records"]): RequiredReview => ({
  records,
  trust: { keys: [publicHalf(key)] },
});

describe("a warden that insists on a review", () => {
  it("serves a pack that a trusted reviewer has approved, from a file too", async () => {
    await using pack = await packOf("guard", source, manifest);
    const record = await signed(pack.path, "approve");
    const file = join(pack.path, "review.json");
    await writeFile(file, JSON.stringify(record));
    for (const given of [record, file]) {
      await using warden = await createWarden({ pack: pack.path, sandbox, requireReview: required(given) });
      expect(warden.hooks()).toHaveLength(1);
    }
  });

  // What was reviewed is a digest: one byte of the script, a grant or the configuration makes it another pack.
  it("refuses a pack that was touched after its review, at the start and at a reload, and goes on with the old one", async () => {
    await using pack = await packOf("guard", source, manifest);
    const record = await signed(pack.path, "approve");
    await using warden = await createWarden({ pack: pack.path, sandbox, requireReview: required(record) });
    const before = warden.pack.digest;
    await writeFile(join(pack.path, "guard/hook.js"), source.replace('"rm"', '"rn"'));
    await expect(warden.reload()).rejects.toMatchObject({
      code: "review-required",
      message: expect.stringContaining("another pack") as string,
    });
    expect(warden.pack.digest).toBe(before);
    await expect(
      createWarden({ pack: pack.path, sandbox, requireReview: required(record) }),
    ).rejects.toMatchObject({ code: "review-required" });
    await expect(warden.reload(await loadPack(pack.path))).rejects.toMatchObject({ code: "review-required" });
  });

  it("refuses without any record, by a key that it does not trust, and where a trusted reviewer has refused", async () => {
    await using pack = await packOf("guard", source, manifest);
    const [approved, byMallory, refused] = [
      await signed(pack.path, "approve"),
      await signed(pack.path, "approve", other),
      await signed(pack.path, "refuse"),
    ];
    const create = (...records: readonly SignedReview[]) =>
      createWarden({ pack: pack.path, sandbox, requireReview: required(...records) });
    await expect(create()).rejects.toMatchObject({
      code: "review-required",
      message: expect.stringContaining("no record") as string,
    });
    await expect(create(byMallory)).rejects.toMatchObject({
      code: "review-required",
      message: expect.stringContaining("mallory") as string,
    });
    await expect(create(approved, refused)).rejects.toMatchObject({
      code: "review-required",
      message: expect.stringContaining("refused") as string,
    });
  });

  // A signature is of every member: whoever turns a refusal into an approval, or adds a member, has no signature.
  it.each<[string, (record: ReviewRecord) => object, string]>([
    ["decision", (record) => ({ ...record, decision: "approve" }), "review-required"],
    ["reviewer", (record) => ({ ...record, decision: "approve", reviewer: "Bob" }), "review-required"],
    ["findings", (record) => ({ ...record, findings: `sha256:${"0".repeat(64)}` }), "review-required"],
    ["a member more", (record) => ({ ...record, note: "fine" }), "review-invalid"],
    ["a digest that is none", (record) => ({ ...record, pack: "sha256:1" }), "review-invalid"],
  ])("refuses a record whose %s was changed after it was signed", async (_, change, code) => {
    await using pack = await packOf("guard", source, manifest);
    const { record, signature } = await signed(pack.path, "refuse");
    const forged = { record: change(record), signature } as SignedReview;
    await expect(
      createWarden({ pack: pack.path, sandbox, requireReview: required(forged) }),
    ).rejects.toMatchObject({ code });
  });

  // A signature that was made over a bundle's list must not pass for a review, whatever the bytes are.
  it("refuses a key that has expired or is revoked", async () => {
    await using pack = await packOf("guard", source, manifest);
    const record = await signed(pack.path, "approve");
    for (const more of [{ revoked: true }, { expires: "2020-01-01T00:00:00Z" }]) {
      const requireReview = { records: [record], trust: { keys: [{ ...publicHalf(key), ...more }] } };
      await expect(createWarden({ pack: pack.path, sandbox, requireReview })).rejects.toMatchObject({
        code: "review-required",
      });
    }
  });
});

describe("a review", () => {
  it("says the same of the same pack each time, in plain JSON", async () => {
    await using pack = await packOf("guard", source, manifest);
    const make = async () =>
      review({ subject: await readSubject(pack.path), events: [], sandbox, other: null });
    const [a, b] = [await make(), await make()];
    expect(JSON.parse(JSON.stringify(a))).toEqual(a);
    expect(a.sheet.findingsDigest).toBe(b.sheet.findingsDigest);
    expect(a.hooks[0]?.reads.smallest).toEqual(["tool_input.command"]);
    expect(a.hooks[0]?.behaviour.conditions.length).toBeGreaterThan(0);
    expect(a.sheet.counts.high).toBe(0);
  });

  it("tells what an update lets through that the version before held, and powers that grew", async () => {
    await using old = await packOf("guard", source, manifest);
    await using next = await packOf("guard", source.replace('=== "rm"', '=== "rmdir"'), {
      ...manifest,
      actions: ["deny", "halt"],
    });
    const { recordedInput } = await import("../../src/review/index.ts");
    const event = recordedInput(
      { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command: "rm" } },
      "one",
    );
    const report = await review({
      subject: await readSubject(next.path),
      events: [event],
      against: await loadPack(old.path),
      sandbox,
      other: null,
    });
    expect(report.since?.openings).toBeGreaterThan(1);
    expect(report.since?.powers).toContainEqual(
      expect.objectContaining({ what: "asks for `halt`", opens: true }),
    );
    expect(report.findings.find(({ code }) => code === "opened-since")?.severity).toBe("high");
  });
});
