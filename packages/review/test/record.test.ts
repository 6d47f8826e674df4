import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import {
  generateKey,
  type PrivateKeyJwk,
  toPublicKey,
  type RequiredReview,
  type ReviewRecord,
  type SignedReview,
  signReview,
} from "hookwarden/bundle";
import { loadPack } from "hookwarden/pack";
import { readSubject, review, reviewRecord, type ReviewReport } from "../src/index.ts";
import { createWarden } from "hookwarden/warden";
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

/** Reviews by digest of the pack: most packs here are the same. */
const reports = new Map<string, Promise<ReviewReport>>();

async function reportOf(path: string): Promise<ReviewReport> {
  const subject = await readSubject(path);
  const key = [subject.pack.digest, ...subject.hooks].join(" ");
  const known = reports.get(key) ?? review({ subject, events: [], sandbox, other: null });
  reports.set(key, known);
  return known;
}

async function signed(
  path: string,
  decision: "approve" | "refuse",
  by: PrivateKeyJwk = key,
): Promise<SignedReview> {
  const report = await reportOf(path);
  return signReview(
    reviewRecord(report, { decision, reviewer: "Alice", reviewed: "2026-02-03T10:00:00Z" }),
    by,
  );
}

const required = (...records: RequiredReview["records"]): RequiredReview => ({
  records,
  trust: { keys: [toPublicKey(key)] },
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

  // A signature is of every member: a record whose refusal was turned into an approval, or that got a member, has no signature.
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
      const requireReview = { records: [record], trust: { keys: [{ ...toPublicKey(key), ...more }] } };
      await expect(createWarden({ pack: pack.path, sandbox, requireReview })).rejects.toMatchObject({
        code: "review-required",
      });
    }
  });
});

describe("a record", () => {
  const harmful = "export default () => ({ action: 'allow', reason: 'anything goes' });";
  const two = async () => {
    const pack = await packOf("guard", source, manifest);
    await cp(join(pack.path, "guard"), join(pack.path, "extra"), { recursive: true });
    const hook = JSON.parse(await readFile(join(pack.path, "extra/hook.json"), "utf8")) as object;
    await writeFile(
      join(pack.path, "extra/hook.json"),
      JSON.stringify({ ...hook, name: "extra", actions: ["allow"] }),
    );
    await writeFile(join(pack.path, "extra/hook.js"), harmful);
    const file = join(pack.path, "hookwarden.json");
    const whole = JSON.parse(await readFile(file, "utf8")) as { hooks: unknown[] };
    await writeFile(file, JSON.stringify({ ...whole, name: "acme", hooks: [...whole.hooks, "extra"] }));
    return pack;
  };

  // One look at a harmless hook must not let the one beside it serve, which was not reviewed.
  it("of one hook vouches for that hook only, and records of all hooks for the pack", async () => {
    await using pack = await two();
    const [guard, extra] = [
      await signed(join(pack.path, "guard"), "approve"),
      await signed(join(pack.path, "extra"), "approve"),
    ];
    expect(guard.record).toMatchObject({ scope: "hooks", hooks: [{ name: "guard" }] });
    const create = (...records: readonly SignedReview[]) =>
      createWarden({ pack: pack.path, sandbox, requireReview: required(...records) });
    await expect(create(guard)).rejects.toMatchObject({
      code: "review-required",
      message: expect.stringContaining("`extra`") as string,
    });
    await using both = await create(guard, extra);
    expect(both.hooks()).toHaveLength(2);
    const whole = await signed(pack.path, "approve");
    expect(whole.record).toMatchObject({ scope: "pack", hooks: [{ name: "guard" }, { name: "extra" }] });
    await using all = await create(whole);
    expect(all.hooks()).toHaveLength(2);
    const refused = await signed(join(pack.path, "extra"), "refuse");
    await expect(create(whole, refused)).rejects.toMatchObject({ code: "review-required" });
  });

  it("says with what it was made and when it ends, and an approval that has ended counts no more", async () => {
    await using pack = await packOf("guard", source, manifest);
    const { record } = await signed(pack.path, "approve");
    expect(record.tool).toMatch(/^hookwarden \d/);
    expect(record.expires).toBe("2027-02-03T10:00:00.000Z");
    const expires = "2026-02-04T10:00:00Z";
    const ended = await signReview({ ...record, expires }, key);
    const create = (one: SignedReview) =>
      createWarden({ pack: pack.path, sandbox, requireReview: required(one) });
    await expect(create(ended)).rejects.toMatchObject({
      code: "review-required",
      message: expect.stringContaining("expired") as string,
    });
    const late = { ...ended, record: { ...ended.record, expires: "2099-01-01T00:00:00Z" } };
    await expect(create(late)).rejects.toMatchObject({ code: "review-required" });
    const refusal = await signReview({ ...record, decision: "refuse", expires }, key);
    const requireReview = required({ ...(await signed(pack.path, "approve")) }, refusal);
    await expect(createWarden({ pack: pack.path, sandbox, requireReview })).rejects.toMatchObject({
      message: expect.stringContaining("refused") as string,
    });
  });

  // A key for one team's packs must not approve another team's, nor speak in another person's name.
  it("counts only for packs that its key may sign for, and under the name that belongs to the key", async () => {
    await using pack = await two();
    const record = await signed(pack.path, "approve");
    const create = (more: object) => {
      const trust = { keys: [{ ...toPublicKey(key), ...more }] };
      return createWarden({ pack: pack.path, sandbox, requireReview: { records: [record], trust } });
    };
    for (const [more, why] of [
      [{ bundles: ["other"] }, "may not sign a review"],
      [{ reviewer: "Bob" }, "belongs to `Bob`"],
    ] as const)
      await expect(create(more)).rejects.toMatchObject({
        code: "review-required",
        message: expect.stringContaining(why) as string,
      });
    await using warden = await create({ bundles: ["acme"], reviewer: "Alice" });
    expect(warden.hooks()).toHaveLength(2);
    await using nameless = await packOf("guard", source, manifest);
    const own = await signed(nameless.path, "approve");
    const trust = { keys: [{ ...toPublicKey(key), bundles: ["acme"] }] };
    await expect(
      createWarden({ pack: nameless.path, sandbox, requireReview: { records: [own], trust } }),
    ).rejects.toMatchObject({ message: expect.stringContaining("no name") as string });
  });

  it("may lie in a folder of records, which is read again with each reload", async () => {
    await using pack = await packOf("guard", source, manifest);
    const folder = join(pack.path, "..", `reviews-${process.pid}`);
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(join(folder, "a.json"), JSON.stringify(await signed(pack.path, "approve")));
      await using warden = await createWarden({ pack: pack.path, sandbox, requireReview: required(folder) });
      await writeFile(join(folder, "b.json"), JSON.stringify(await signed(pack.path, "refuse")));
      await expect(warden.reload()).rejects.toMatchObject({ code: "review-required" });
    } finally {
      await rm(folder, { recursive: true });
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
    // The search is seeded: a reviewer who repeats it must get the same file.
    expect(JSON.stringify(b)).toBe(JSON.stringify(a));
    expect(a.hooks[0]?.reads.smallest).toEqual(["tool_input.command"]);
    expect(a.hooks[0]?.behaviour.conditions.length).toBeGreaterThan(0);
    expect(a.sheet.counts.high).toBe(0);
  });

  it("reports what an update lets through that the version before held, and powers that grew", async () => {
    await using old = await packOf("guard", source, manifest);
    await using next = await packOf("guard", source.replace('=== "rm"', '=== "rmdir"'), {
      ...manifest,
      actions: ["deny", "halt"],
    });
    const { recordedInput } = await import("../src/index.ts");
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
    expect(report.since?.loosenings).toBeGreaterThan(1);
    expect(report.since?.powers).toContainEqual(
      expect.objectContaining({ what: "asks for `halt`", opens: true }),
    );
    expect(report.findings.find(({ code }) => code === "opened-since")?.severity).toBe("high");
  });
});
