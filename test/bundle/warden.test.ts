import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generateKey, toPublicKey, type Trust } from "../../src/bundle/index.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import type { ReloadNotice } from "../../src/warden/events.ts";
import type { WardenOptions } from "../../src/warden/options.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";
import { bundleOf, goodBundle, key, testFolder, trust } from "./support.ts";

const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {} };

async function start(options: Partial<WardenOptions>): Promise<{ warden: Warden; notices: ReloadNotice[] }> {
  const warden = await createWarden({ trust, sandbox: new FakeSandbox(), ...options });
  const notices: ReloadNotice[] = [];
  warden.on("reload", (notice) => notices.push(notice));
  await new Promise((done) => setImmediate(done));
  return { warden, notices };
}

test("a warden serves the very bytes that were verified", async () => {
  const file = join(testFolder(), "b.tgz");
  writeFileSync(file, await goodBundle());
  await using warden = await createWarden({ bundle: file, trust });
  rmSync(file);
  expect(await warden.dispatch(event)).toMatchObject({ verdict: "deny", reason: "never" });
  expect(warden.bundle).toMatchObject({
    name: "acme",
    version: "1.0.0",
    target: "default",
    key: "release-1",
    from: "offered",
  });
});

test("a newer bundle takes over with a reload, and every decision names the pack that made it", async () => {
  const file = join(testFolder(), "b.tgz");
  writeFileSync(file, await goodBundle());
  await using warden = await createWarden({ bundle: file, trust, isolation: "inline" });
  const before = await warden.dispatch(event);
  writeFileSync(
    file,
    await bundleOf({
      manifest: { version: "1.1.0" },
      hooks: { guard: `export default () => ({ action: "deny", reason: "newer" });` },
    }),
  );
  await warden.reload();
  const after = await warden.dispatch(event);
  expect([before.reason, after.reason]).toEqual(["never", "newer"]);
  expect(before.pack).not.toBe(after.pack);
  expect(warden.bundle?.version).toBe("1.1.0");
});

describe("what cannot serve leaves the old one serving, and raises an alarm", () => {
  const offers: readonly [string, (file: string) => Promise<void> | void, string][] = [
    ["a file that is gone", (file) => rmSync(file), "file-unreadable"],
    ["an empty file, as in the middle of a copy", (file) => writeFileSync(file, ""), "bundle-invalid"],
    [
      "half a file",
      async (file) => writeFileSync(file, (await goodBundle()).subarray(0, 300)),
      "bundle-invalid",
    ],
    ["a folder in its place", (file) => (rmSync(file), mkdirSync(file)), "file-unreadable"],
    ["a device in its place", (file) => (rmSync(file), symlinkSync("/dev/zero", file)), "file-unreadable"],
    [
      "a bundle of a stranger",
      async (file) => writeFileSync(file, await bundleOf({ key: await generateKey("stranger") })),
      "bundle-untrusted",
    ],
    [
      "an older bundle",
      async (file) => writeFileSync(file, await bundleOf({ manifest: { version: "0.9.0" } })),
      "bundle-rollback",
    ],
    [
      "other content under the same version",
      async (file) => writeFileSync(file, await bundleOf({ hooks: { guard: "export default () => null;" } })),
      "bundle-rollback",
    ],
    [
      "a newer bundle without hooks",
      async (file) => writeFileSync(file, await bundleOf({ manifest: { version: "2.0.0" }, hooks: {} })),
      "pack-invalid",
    ],
    [
      "a bundle for another target",
      async (file) =>
        writeFileSync(file, await bundleOf({ manifest: { version: "2.0.0" }, target: "staging" })),
      "bundle-untrusted",
    ],
  ];
  test.each(offers)("%s", { skip: process.platform === "win32" }, async (_, offer, code) => {
    const folder = testFolder();
    const file = join(folder, "b.tgz");
    const keepBundle = join(folder, "kept");
    writeFileSync(file, await goodBundle());
    const { warden, notices } = await start({ bundle: file, keepBundle });
    const { pack, bundle } = warden;
    await offer(file);
    await expect(warden.reload()).rejects.toMatchObject({ code });
    expect(notices).toMatchObject([{ ok: false, error: { code } }]);
    expect([warden.pack, warden.bundle]).toEqual([pack, bundle]);
    // What may not serve is not kept as good either.
    expect(readFileSync(join(keepBundle, "last-good.tgz")).equals(await goodBundle())).toBe(true);
    expect(readdirSync(keepBundle)).toEqual(["last-good.tgz"]);
    await warden[Symbol.asyncDispose]();
  });
});

describe("the last good bundle", () => {
  test("serves after a restart where the one that is offered cannot, and the host is notified", async () => {
    const folder = testFolder();
    const file = join(folder, "b.tgz");
    const keepBundle = join(folder, "kept");
    writeFileSync(file, await goodBundle());
    await (await start({ bundle: file, keepBundle })).warden[Symbol.asyncDispose]();
    writeFileSync(file, "broken");
    const { warden, notices } = await start({ bundle: file, keepBundle });
    expect(warden.bundle).toMatchObject({ version: "1.0.0", from: "kept", key: "release-1" });
    expect(notices).toMatchObject([
      { ok: false, pack: warden.pack.digest, error: { code: "bundle-invalid" } },
    ]);
    await warden[Symbol.asyncDispose]();
  });

  test("is held to the trust file of today: a key revoked since does not serve from the folder either", async () => {
    const folder = testFolder();
    const keepBundle = join(folder, "kept");
    await (await start({ bundle: await goodBundle(), keepBundle })).warden[Symbol.asyncDispose]();
    const revoked: Trust = { keys: [{ ...toPublicKey(key), revoked: true }] };
    await expect(createWarden({ bundle: "/nowhere.tgz", trust: revoked, keepBundle })).rejects.toMatchObject({
      code: "file-unreadable",
    });
  });

  test("that somebody changed in the folder does not serve", async () => {
    const folder = testFolder();
    await (await start({ bundle: await goodBundle(), keepBundle: folder })).warden[Symbol.asyncDispose]();
    const kept = readFileSync(join(folder, "last-good.tgz"));
    kept[kept.length >> 1] = (kept[kept.length >> 1] as number) ^ 1;
    writeFileSync(join(folder, "last-good.tgz"), kept);
    await expect(createWarden({ bundle: "/nowhere.tgz", trust, keepBundle: folder })).rejects.toMatchObject({
      code: "file-unreadable",
    });
  });

  test("sets the floor after a restart: what is older is refused, and the kept one serves", async () => {
    const folder = testFolder();
    const newer = await bundleOf({ manifest: { version: "1.1.0" } });
    await (await start({ bundle: newer, keepBundle: folder })).warden[Symbol.asyncDispose]();
    const { warden, notices } = await start({ bundle: await goodBundle(), keepBundle: folder });
    expect(warden.bundle).toMatchObject({ version: "1.1.0", from: "kept" });
    expect(notices).toMatchObject([{ ok: false, error: { code: "bundle-rollback" } }]);
    await warden[Symbol.asyncDispose]();
  });

  test("gives way to an older one that a person has approved", async () => {
    const folder = testFolder();
    await (
      await start({ bundle: await bundleOf({ manifest: { version: "1.1.0" } }), keepBundle: folder })
    ).warden[Symbol.asyncDispose]();
    const older = await goodBundle();
    const { openBundle, checkTrust } = await import("../../src/bundle/index.ts");
    const { digest } = await openBundle(older, { trust: await checkTrust(trust) });
    const { warden } = await start({
      bundle: older,
      trust: { ...trust, approved: [digest] },
      keepBundle: folder,
    });
    expect(warden.bundle).toMatchObject({ version: "1.0.0", from: "offered" });
    await warden[Symbol.asyncDispose]();
  });

  test(
    "that cannot be kept is reported to the host immediately",
    { skip: process.platform === "win32" || process.getuid?.() === 0 },
    async () => {
      const folder = testFolder();
      chmodSync(folder, 0o500);
      await expect(
        createWarden({ bundle: await goodBundle(), trust, keepBundle: join(folder, "kept") }),
      ).rejects.toMatchObject({ code: "file-unreadable" });
      expect(existsSync(join(folder, "kept"))).toBe(false);
    },
  );
});

test("a key that is revoked while its bundle serves is refused with the next reload", async () => {
  const folder = testFolder();
  const file = join(folder, "trust.json");
  writeFileSync(file, JSON.stringify(trust));
  const { warden } = await start({ bundle: await goodBundle(), trust: file });
  writeFileSync(file, JSON.stringify({ keys: [{ ...toPublicKey(key), revoked: true }] }));
  await expect(warden.reload()).rejects.toMatchObject({ code: "bundle-untrusted" });
  writeFileSync(file, "{");
  await expect(warden.reload()).rejects.toMatchObject({ code: "trust-invalid", place: { file, line: 1 } });
  await warden[Symbol.asyncDispose]();
});

test("a warden over a bundle takes no unsigned pack, not even by a reload", async () => {
  const { warden } = await start({ bundle: await goodBundle() });
  await expect(warden.reload(testFolder())).rejects.toMatchObject({ code: "option-invalid" });
  await warden[Symbol.asyncDispose]();
});

test("options that contradict each other are refused", async () => {
  const bundle = await goodBundle();
  const bad: WardenOptions[] = [
    {},
    { bundle },
    { bundle, trust, pack: "." },
    { pack: ".", trust },
    { pack: ".", keepBundle: "." },
    { bundle: 5 as never, trust },
    { bundle, trust, watch: true },
  ];
  for (const options of bad)
    await expect(createWarden(options)).rejects.toMatchObject({ code: "option-invalid" });
});

test("a decision of a bundle is logged and replayed like that of its folder", async () => {
  const { openBundle, buildBundle, checkTrust } = await import("../../src/bundle/index.ts");
  const { replayLog } = await import("../../src/replay/replay.ts");
  const { loadPack } = await import("../../src/pack/load.ts");
  const { packFolder } = await import("./support.ts");
  const folder = packFolder();
  const { bytes } = await buildBundle(folder, { key });
  const log = join(testFolder(), "log.jsonl");
  const warden = await createWarden({ bundle: bytes, trust, log, isolation: "inline" });
  await warden.dispatch(event);
  const { createReadStream } = await import("node:fs");
  await warden[Symbol.asyncDispose]();
  const { createQuickjsSandbox } = await import("@hookwarden/sandbox/quickjs");
  await using quickjs = await createQuickjsSandbox();
  const packs = [await loadPack(folder), (await openBundle(bytes, { trust: await checkTrust(trust) })).pack];
  for (const pack of packs) {
    expect(
      await Array.fromAsync(replayLog(createReadStream(log), { packs: [pack], sandbox: () => quickjs })),
    ).toMatchObject([{ result: "same" }]);
  }
});

describe("watching", () => {
  const reason = async (warden: Warden): Promise<string | null> => (await warden.dispatch(event)).reason;
  const newer = (version: string, says: string): Promise<Uint8Array> =>
    bundleOf({
      manifest: { version },
      hooks: { guard: `export default () => ({ action: "deny", reason: "${says}" });` },
    });

  test("takes the bundle that is put in the place of the old one, and none that does not hold", async () => {
    const folder = testFolder();
    const file = join(folder, "b.tgz");
    writeFileSync(file, await goodBundle());
    await using warden = await createWarden({ bundle: file, trust, isolation: "inline", watch: true });
    const notices: ReloadNotice[] = [];
    warden.on("reload", (notice) => notices.push(notice));
    // Written where it lies.
    writeFileSync(file, await newer("1.1.0", "written"));
    await expect.poll(() => reason(warden), { timeout: 20_000 }).toBe("written");
    // Half a copy: the old one goes on serving.
    const bytes = await newer("1.2.0", "renamed");
    writeFileSync(file, bytes.subarray(0, 200));
    await expect.poll(() => notices.some(({ ok }) => !ok), { timeout: 20_000 }).toBe(true);
    expect(await reason(warden)).toBe("written");
    // Put there by a rename, as a careful deployment does.
    writeFileSync(`${file}.new`, bytes);
    renameSync(`${file}.new`, file);
    await expect.poll(() => reason(warden), { timeout: 20_000 }).toBe("renamed");
    // Gone, and back again.
    rmSync(file);
    await expect.poll(() => notices.filter(({ ok }) => !ok).length, { timeout: 20_000 }).toBeGreaterThan(1);
    expect(await reason(warden)).toBe("renamed");
    writeFileSync(file, await newer("1.3.0", "back"));
    await expect.poll(() => reason(warden), { timeout: 20_000 }).toBe("back");
  });

  test("looks at the trust file too: a key that is trusted from now on opens the way for a bundle that waits", async () => {
    const folder = testFolder();
    const [file, trustFile] = [join(folder, "b.tgz"), join(folder, "trust.json")];
    const next = await generateKey("release-2");
    writeFileSync(file, await goodBundle());
    writeFileSync(trustFile, JSON.stringify(trust));
    await using warden = await createWarden({
      bundle: file,
      trust: trustFile,
      isolation: "inline",
      watch: true,
    });
    const refused = new Promise<ReloadNotice>((done) => warden.once("reload", done));
    writeFileSync(
      file,
      await bundleOf({
        manifest: { version: "1.1.0" },
        hooks: { guard: `export default () => ({ action: "deny", reason: "second key" });` },
        key: next,
      }),
    );
    expect(await refused).toMatchObject({ ok: false, error: { code: "bundle-untrusted" } });
    writeFileSync(trustFile, JSON.stringify({ ...trust, keys: [...trust.keys, toPublicKey(next)] }));
    await expect.poll(() => reason(warden), { timeout: 20_000 }).toBe("second key");
  });

  test("needs a path to watch", async () => {
    const bundle = await goodBundle();
    await expect(createWarden({ bundle, trust, watch: true })).rejects.toThrow("`watch` needs");
  });
});
