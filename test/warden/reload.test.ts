import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { LoadedPack } from "../../src/pack/types.ts";
import { createWarden, type Warden } from "../../src/warden/index.ts";
import type { ReloadNotice } from "../../src/warden/events.ts";
import { fakePack } from "../support/fake-pack.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";
import { sampleEvent } from "../support/sample-events.ts";

const event = sampleEvent("PreToolUse");
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A pack of two hooks that both name their generation. */
function generation(sandbox: FakeSandbox, number: number): LoadedPack {
  const hook = (name: string) => ({
    name,
    run: async () => {
      await sleep(Math.random() * 2);
      return { action: "notify", text: String(number) };
    },
  });
  return fakePack(sandbox, [hook("one"), hook("two")]);
}

describe("a reload", () => {
  test(
    "1,000 of them under 64 decisions in flight: none failed, none mixed generations",
    { timeout: 60_000 },
    async () => {
      const sandbox = new FakeSandbox();
      const packs = Array.from({ length: 1_000 }, (_, number) => generation(sandbox, number));
      const numberOf = new Map(packs.map((pack, number) => [pack.digest, String(number)]));
      await using warden = await createWarden({ sandbox, pack: packs[0]! });
      const run = { done: false };
      let decisions = 0;
      const served = new Set<string>();
      const inFlight = Array.from({ length: 64 }, async () => {
        while (!run.done) {
          const decision = await warden.dispatch(event);
          decisions++;
          served.add(decision.pack);
          const expected = numberOf.get(decision.pack);
          const texts = decision.additions.notices.map(({ text }) => text);
          if (texts.join() !== `${expected},${expected}` || decision.trace.some(({ fault }) => fault)) {
            throw new Error(`generation ${expected} answered ${texts.join()}`);
          }
        }
      });
      for (const [index, pack] of packs.entries()) {
        await warden.reload(pack);
        if (index % 10 === 0) await sleep(1);
      }
      run.done = true;
      await Promise.all(inFlight);
      expect(warden.pack).toBe(packs.at(-1));
      expect(decisions).toBeGreaterThan(64);
      expect(served.size).toBeGreaterThan(20);
      // Programs of packs that serve no more are freed, once each, and those of the last one are kept.
      const kept = new Set(packs.at(-1)!.hooks.map(({ program }) => program.key));
      expect(new Set(sandbox.forgotten).size).toBe(2 * 999);
      expect(sandbox.forgotten.some((key) => kept.has(key))).toBe(false);
    },
  );

  test("a decision under way ends with the pack that it began with", async () => {
    const sandbox = new FakeSandbox();
    let go = (): void => undefined;
    const slow = {
      name: "slow",
      run: () => new Promise((resolve) => (go = () => resolve({ action: "notify", text: "old" }))),
    };
    const after = { name: "after", run: () => ({ action: "notify", text: "old too" }) };
    const old = fakePack(sandbox, [slow, after]);
    await using warden = await createWarden({ sandbox, pack: old });
    const underWay = warden.dispatch(event);
    await warden.reload(fakePack(sandbox, [{ name: "new", run: () => ({ action: "deny", reason: "new" }) }]));
    expect((await warden.dispatch(event)).verdict).toBe("deny");
    expect(sandbox.forgotten).toEqual([]);
    go();
    expect(await underWay).toMatchObject({
      pack: old.digest,
      verdict: "continue",
      trace: [{ hook: "slow" }, { hook: "after" }],
    });
    expect(sandbox.forgotten).toHaveLength(2);
  });

  test("programs that both packs have are not freed", async () => {
    const sandbox = new FakeSandbox();
    const pack = generation(sandbox, 1);
    await using warden = await createWarden({ sandbox, pack });
    await warden.reload({ ...pack, digest: "sha256:other" });
    expect(sandbox.forgotten).toEqual([]);
  });
});

const hookJson = JSON.stringify({
  apiVersion: 1,
  name: "guard",
  version: "1.0.0",
  entry: "hook.js",
  on: [{ event: "PreToolUse" }],
  reads: ["tool_name"],
  actions: ["deny"],
});
const manifest = JSON.stringify({ apiVersion: 1, hooks: ["guard"] });

async function writePack(reason = "first"): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-reload-"));
  folders.push(folder);
  await fill(join(folder, "pack"), reason);
  return join(folder, "pack");
}

async function fill(pack: string, reason: string): Promise<void> {
  await mkdir(join(pack, "guard"), { recursive: true });
  writeFileSync(join(pack, "hookwarden.json"), manifest);
  writeFileSync(join(pack, "guard", "hook.json"), hookJson);
  writeFileSync(
    join(pack, "guard", "hook.js"),
    `export default () => ({ action: "deny", reason: "${reason}" });\n`,
  );
}

const open = (pack: string, watch = false): Promise<Warden> =>
  createWarden({ pack, watch, isolation: "inline" });
const reason = async (warden: Warden): Promise<string | null> => (await warden.dispatch(event)).reason;

describe("a bad new pack", () => {
  test("leaves the old one serving, and says why", { timeout: 60_000 }, async () => {
    const pack = await writePack();
    await using warden = await open(pack);
    const notices: ReloadNotice[] = [];
    warden.on("reload", (notice) => void notices.push(notice));
    const { digest } = warden.pack;
    const spoil: [string, string, string][] = [
      ["hookwarden.json", "{", "pack-not-json"],
      ["hookwarden.json", "", "pack-not-json"],
      ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: [] }), "pack-invalid"],
      ["hookwarden.json", JSON.stringify({ apiVersion: 1, hooks: ["../elsewhere"] }), "path-outside-pack"],
      ["guard/hook.json", hookJson.replace("PreToolUse", "PreTool"), "pack-invalid"],
      ["guard/hook.js", "export default (", "load-failed"],
    ];
    for (const [file, text, code] of spoil) {
      writeFileSync(join(pack, file), text);
      await expect(warden.reload()).rejects.toHaveProperty("code");
      expect(notices.at(-1)).toMatchObject({ ok: false, pack: digest, error: { code } });
      expect(await reason(warden)).toBe("first");
      await fill(pack, "first");
    }
    renameSync(pack, `${pack}-gone`);
    await expect(warden.reload()).rejects.toMatchObject({ code: "pack-not-found" });
    expect(await reason(warden)).toBe("first");
    await fill(pack, "second");
    await warden.reload();
    expect(notices.at(-1)).toMatchObject({ ok: true, previous: digest, pack: warden.pack.digest });
    expect(await reason(warden)).toBe("second");
  });
});

describe("watching", () => {
  test(
    "follows the folder: edits, mistakes, and its going and coming back",
    { timeout: 60_000 },
    async () => {
      const pack = await writePack();
      await using warden = await open(pack, true);
      const next = (): Promise<ReloadNotice> => new Promise((resolve) => warden.once("reload", resolve));

      let notice = next();
      writeFileSync(
        join(pack, "guard", "hook.js"),
        'export default () => ({ action: "deny", reason: "second" });\n',
      );
      expect(await notice).toMatchObject({ ok: true });
      expect(await reason(warden)).toBe("second");

      notice = next();
      writeFileSync(join(pack, "hookwarden.json"), "{");
      expect(await notice).toMatchObject({ ok: false });
      expect(await reason(warden)).toBe("second");

      notice = next();
      renameSync(pack, `${pack}-gone`);
      expect(await notice).toMatchObject({ ok: false });
      expect(await reason(warden)).toBe("second");

      notice = next();
      await fill(`${pack}-new`, "third");
      renameSync(`${pack}-new`, pack);
      expect(await notice).toMatchObject({ ok: true });
      expect(await reason(warden)).toBe("third");

      // The new folder is watched as the old one was.
      notice = next();
      writeFileSync(
        join(pack, "guard", "hook.js"),
        'export default () => ({ action: "deny", reason: "fourth" });\n',
      );
      expect(await notice).toMatchObject({ ok: true });
      expect(await reason(warden)).toBe("fourth");
    },
  );
});
