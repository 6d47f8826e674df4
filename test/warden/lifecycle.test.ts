import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { createWarden } from "../../src/warden/index.ts";
import type { ReloadNotice } from "../../src/warden/events.ts";
import { SqliteStateStore } from "../../src/state/sqlite.ts";
import type { StateStore } from "../../src/state/store.ts";
import type { Outcome } from "@hookwarden/sandbox";
import { verifyLog } from "../../src/log/index.ts";
import { BreakerSandbox, breakerLimits } from "../../src/warden/breaker.ts";
import { createReadStream } from "node:fs";
import { fakePack, type FakeHook } from "../support/fake-pack.ts";
import { FakeFault, FakeSandbox } from "../support/fake-sandbox.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderFor(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-lifecycle-"));
  folders.push(folder);
  return folder;
}

const event = { hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: {} };

function fill(folder: string, reason: string, hooks: readonly string[] = ["guard"]): void {
  for (const name of hooks) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(
      join(folder, name, "hook.js"),
      `export default () => ({ action: "deny", reason: ${JSON.stringify(reason)} });\n`,
    );
    const manifest = {
      apiVersion: 1,
      name,
      version: "1.0.0",
      entry: "hook.js",
      on: [{ event: "PreToolUse" }],
      reads: ["*"],
      actions: ["deny"],
    };
    writeFileSync(join(folder, name, "hook.json"), JSON.stringify(manifest));
  }
  writeFileSync(join(folder, "hookwarden.json"), JSON.stringify({ apiVersion: 1, hooks }));
}

test(
  "rel-001 a manifest written in two halves during 1,000 decisions: each is made by one whole generation, and the log says by which",
  { timeout: 60_000 },
  async () => {
    const folder = folderFor();
    const pack = join(folder, "pack");
    fill(pack, "first");
    const log = join(folder, "log.jsonl");
    const warden = await createWarden({ pack, isolation: "inline", log });
    const first = warden.pack.digest;
    const whole = JSON.stringify({ apiVersion: 1, hooks: ["guard", "second"] });
    let refusedHalf: unknown = null;
    const writer = (async () => {
      fill(pack, "second", ["second"]);
      writeFileSync(join(pack, "hookwarden.json"), whole.slice(0, 20));
      refusedHalf = await warden.reload().then(
        () => null,
        (error: unknown) => error,
      );
      writeFileSync(join(pack, "hookwarden.json"), whole);
      await warden.reload();
    })();
    const digests = new Set<string>();
    for (let index = 0; index < 1_000; index++) {
      const { pack: by, trace } = await warden.dispatch(event);
      digests.add(by);
      expect(trace).toHaveLength(by === first ? 1 : 2);
      if (index % 50 === 0) await sleep(1);
    }
    await writer;
    const last = await warden.dispatch(event);
    await warden[Symbol.asyncDispose]();
    expect(refusedHalf).toMatchObject({ code: "pack-not-json" });
    expect(digests.has(first)).toBe(true);
    expect(last.pack).not.toBe(first);
    const lines = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; pack?: string; decision?: { pack: string } });
    // Before the first decision of a generation stands what it is.
    const announced = new Set<string>();
    for (const { kind, pack: named, decision } of lines) {
      if (kind === "pack") announced.add(named as string);
      if (decision) expect(announced.has(decision.pack)).toBe(true);
    }
    expect(announced).toEqual(new Set([first, last.pack]));
    expect((await verifyLog(createReadStream(log))).problem).toBeNull();
  },
);

describe("rel-002 a policy folder that goes away leaves the last good generation, and an alarm", () => {
  const ends: readonly [string, (pack: string) => void][] = [
    ["emptied", (pack) => (rmSync(pack, { recursive: true }), mkdirSync(pack))],
    ["gone", (pack) => rmSync(pack, { recursive: true })],
    ["replaced by a file", (pack) => (rmSync(pack, { recursive: true }), writeFileSync(pack, ""))],
    ["without hooks", (pack) => writeFileSync(join(pack, "hookwarden.json"), '{"apiVersion":1,"hooks":[]}')],
    ["with a hook that is gone", (pack) => rmSync(join(pack, "guard"), { recursive: true })],
    ["with an empty manifest", (pack) => writeFileSync(join(pack, "hookwarden.json"), "")],
  ];
  test.each(ends)("%s", async (_, end) => {
    const pack = join(folderFor(), "pack");
    fill(pack, "still here");
    await using warden = await createWarden({ pack, isolation: "inline" });
    const notices: ReloadNotice[] = [];
    warden.on("reload", (notice) => notices.push(notice));
    end(pack);
    await expect(warden.reload()).rejects.toMatchObject({ name: "HookwardenError" });
    expect(notices).toMatchObject([{ ok: false }]);
    expect(await warden.dispatch(event)).toMatchObject({ verdict: "deny", reason: "still here" });
  });

  test(
    "not to be read any more",
    { skip: process.platform === "win32" || process.getuid?.() === 0 },
    async () => {
      const pack = join(folderFor(), "pack");
      fill(pack, "still here");
      await using warden = await createWarden({ pack, isolation: "inline" });
      chmodSync(pack, 0o000);
      await expect(warden.reload()).rejects.toMatchObject({ name: "HookwardenError" });
      expect(await warden.dispatch(event)).toMatchObject({ verdict: "deny" });
      chmodSync(pack, 0o700);
    },
  );
});

test(
  "rel-003 a storm of changes is one reload or a few, and decisions go on meanwhile",
  { timeout: 60_000 },
  async () => {
    const pack = join(folderFor(), "pack");
    fill(pack, "first");
    await using warden = await createWarden({ pack, isolation: "inline", watch: true });
    let reloads = 0;
    warden.on("reload", () => reloads++);
    for (let touch = 0; touch < 1_000; touch++) {
      utimesSync(join(pack, "hookwarden.json"), new Date(), new Date());
      for (let file = 0; file < 10; file++) writeFileSync(join(pack, `stray-${touch}-${file}.txt`), "x");
      if (touch % 20 === 0) {
        expect((await warden.dispatch(event)).verdict).toBe("deny");
        await sleep(1);
      }
    }
    fill(`${pack}-new`, "second");
    renameSync(join(`${pack}-new`, "guard", "hook.js"), join(pack, "guard", "hook.js"));
    await expect.poll(async () => (await warden.dispatch(event)).reason, { timeout: 30_000 }).toBe("second");
    expect(reloads).toBeGreaterThan(0);
    expect(reloads).toBeLessThan(20);
  },
);

test("rel-004 a decision under way when its hook is replaced ends with the old code, and is logged with it", async () => {
  const sandbox = new FakeSandbox();
  let go: () => void = () => undefined;
  const slow: FakeHook = {
    name: "guard",
    run: () => new Promise((done) => (go = () => done({ action: "deny", reason: "old code" }))),
  };
  const quick: FakeHook = { name: "guard", run: () => ({ action: "deny", reason: "new code" }) };
  const [before, after] = [fakePack(sandbox, [slow]), fakePack(sandbox, [quick])];
  const log = join(folderFor(), "log.jsonl");
  const warden = await createWarden({ sandbox, pack: before, log });
  const under = warden.dispatch(event, { decisionId: "under-way" });
  await sleep(5);
  await warden.reload(after);
  expect((await warden.dispatch(event, { decisionId: "after" })).reason).toBe("new code");
  go();
  expect(await under).toMatchObject({ reason: "old code", pack: before.digest });
  await warden[Symbol.asyncDispose]();
  const records = readFileSync(log, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as any)
    .filter(({ kind }) => kind === "decision");
  expect(
    records.map(({ decision, calls }) => [decision.decision_id, decision.pack, calls[0].digest]),
  ).toEqual([
    ["after", after.digest, after.hooks[0]?.digest],
    ["under-way", before.digest, before.hooks[0]?.digest],
  ]);
});

describe("rel-008 quarantine survives a restart", () => {
  const nag: FakeHook = { name: "nag", on: ["Stop"], run: () => ({ action: "retry", feedback: "again" }) };
  const calm: FakeHook = { name: "nag", on: ["Stop"], run: () => null };
  const stop = { hook_event_name: "Stop", session_id: "s/1 \u0001" };

  async function ask(
    store: StateStore,
    hook: FakeHook = nag,
    tenant = "t",
    of: object = stop,
  ): Promise<string> {
    const sandbox = new FakeSandbox();
    await using warden = await createWarden({ sandbox, pack: fakePack(sandbox, [hook]), store });
    return (await warden.dispatch(of, { tenant })).verdict;
  }

  test("a hook that sends the agent back again and again is not given a new count by each new process", async () => {
    await using store = new SqliteStateStore({ path: join(folderFor(), "state.db") });
    const verdicts: string[] = [];
    for (let process = 0; process < 6; process++) verdicts.push(await ask(store));
    expect(verdicts).toEqual(["retry", "retry", "retry", "continue", "continue", "continue"]);
    // Another tenant, another session, another event have counts of their own.
    expect(await ask(store, nag, "other")).toBe("retry");
    expect(await ask(store, nag, "t", { ...stop, session_id: "s2" })).toBe("retry");
    // Another word sets it back, as within one process.
    expect(await ask(store, calm)).toBe("continue");
    expect(await ask(store)).toBe("retry");
  });

  test("nor where the store answers later, as one that servers share over a network does", async () => {
    await using inner = new SqliteStateStore({ path: join(folderFor(), "state.db") });
    const store: StateStore = {
      read: async (key) => (await sleep(3), inner.read(key)),
      commit: async (writes) => (await sleep(3), inner.commit(writes)),
    };
    const verdicts: string[] = [];
    for (let process = 0; process < 6; process++) {
      verdicts.push(await ask(store));
      // A process that ends has written what it counted.
      await sleep(30);
    }
    expect(verdicts).toEqual(["retry", "retry", "retry", "continue", "continue", "continue"]);
    expect(await ask(store, nag, "other")).toBe("retry");
    // Two servers at once, each of which decides in turn, count together.
    const sandbox = new FakeSandbox();
    const pack = fakePack(sandbox, [nag]);
    await using one = await createWarden({ sandbox, pack, store });
    await using two = await createWarden({ sandbox, pack, store });
    const together: string[] = [];
    for (const warden of [one, two, one, two, one, two]) {
      together.push((await warden.dispatch({ ...stop, session_id: "shared" })).verdict);
      await sleep(30);
    }
    expect(together).toEqual(["retry", "retry", "retry", "continue", "continue", "continue"]);
    // What one server counts in a row at once is not lost on the way to the store.
    const row: string[] = [];
    for (let index = 0; index < 5; index++) {
      row.push((await one.dispatch({ ...stop, session_id: "row" })).verdict);
    }
    expect(row).toEqual(["retry", "retry", "retry", "continue", "continue"]);
  });

  test("a store that fails, or answers later, leaves the counts of the process", async () => {
    const failing: StateStore = {
      read: () => {
        throw new Error("no disk");
      },
      commit: () => {
        throw new Error("no disk");
      },
    };
    const late: StateStore = {
      read: async () => Promise.reject(new Error("no net")),
      commit: async () => Promise.reject(new Error("no net")),
    };
    for (const store of [failing, late]) {
      const sandbox = new FakeSandbox();
      await using warden = await createWarden({ sandbox, pack: fakePack(sandbox, [nag]), store });
      const verdicts: string[] = [];
      for (let index = 0; index < 5; index++) verdicts.push((await warden.dispatch(stop)).verdict);
      expect(verdicts).toEqual(["retry", "retry", "retry", "continue", "continue"]);
    }
  });
});

describe("rel-007 a hook that ends its process each time", () => {
  const killer: FakeHook = {
    name: "killer",
    reads: ["tool_input.command"],
    run: ({ tool_input }) => {
      if (tool_input?.command === "kind") return null;
      throw new FakeFault("crashed", true);
    },
  };
  const other: FakeHook = {
    name: "other",
    asked: ["notify"],
    onFailure: "open",
    run: () => ({ action: "notify", text: "here" }),
  };
  const kind = { ...event, tool_input: { command: "kind" } };

  test("is not run for a while, decides as its failure policy says, and costs the others nothing", async () => {
    const sandbox = new FakeSandbox();
    const pack = fakePack(sandbox, [{ ...other, priority: 1 }, killer]);
    await using warden = await createWarden({ sandbox, pack });
    const key = pack.hooks.find(({ name }) => name === "killer")?.program.key;
    const ran = (): number => sandbox.calls.filter(({ program }) => program.key === key).length;
    for (let index = 0; index < 12; index++) {
      const { verdict, trace } = await warden.dispatch(event);
      expect(verdict).toBe("deny");
      expect(trace.map(({ hook, outcome, fault }) => [hook, outcome, fault?.code])).toEqual([
        ["other", "honoured", undefined],
        ["killer", "faulted", index < breakerLimits.failures ? "crashed" : "quarantined"],
      ]);
    }
    expect(ran()).toBe(breakerLimits.failures);
    // Another tenant's events are another matter.
    await warden.dispatch(event, { tenant: "another" });
    expect(ran()).toBe(breakerLimits.failures + 1);
  });

  // A host with several sandboxes chooses one for each event, and suspends hooks itself: two circuit breakers would disagree.
  test("is always run in a sandbox that came with the dispatch", async () => {
    const sandbox = new FakeSandbox();
    const pack = fakePack(sandbox, [killer]);
    await using warden = await createWarden({ sandbox: new FakeSandbox(), pack });
    for (let index = 0; index < 2 * breakerLimits.failures; index++) {
      const { verdict, trace } = await warden.dispatch(event, { sandbox });
      expect([verdict, trace[0]?.fault?.code]).toEqual(["deny", "crashed"]);
    }
    expect(sandbox.calls).toHaveLength(2 * breakerLimits.failures);
    const own = await warden.dispatch(event);
    expect(own.trace[0]?.fault?.code).toBe("load-failed");
  });

  test("is tried again after a pause that grows, and is as before once it behaves", async () => {
    const sandbox = new FakeSandbox();
    const pack = fakePack(sandbox, [killer]);
    let now = 1_000_000;
    const breaker = new BreakerSandbox(sandbox, null, () => now);
    const [hook] = pack.hooks;
    const call = async (command: string): Promise<Outcome> =>
      breaker.call({
        program: hook!.program,
        tenant: "t",
        handler: "PreToolUse",
        args: [JSON.stringify({ tool_input: { command } }), "{}"],
        time: 0,
        seed: [1, 2, 3, 4],
        limits: hook!.limits,
      });
    const ran = async (command = "kill"): Promise<boolean> => {
      const before = sandbox.calls.length;
      await call(command);
      return sandbox.calls.length > before;
    };
    for (let index = 0; index < breakerLimits.failures; index++) expect(await ran()).toBe(true);
    for (const pause of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      now += pause - 1;
      expect(await ran()).toBe(false);
      now += 1;
      expect(await ran()).toBe(true);
      expect(await ran()).toBe(false);
    }
    now += 60_000;
    expect(await ran("kind")).toBe(true);
    for (let index = 0; index < breakerLimits.failures; index++) expect(await ran()).toBe(true);
    expect(await ran()).toBe(false);
  });

  test("is tried by one call at a time", async () => {
    const sandbox = new FakeSandbox();
    let release: () => void = () => undefined;
    const pack = fakePack(sandbox, [
      {
        name: "killer",
        run: () => new Promise((_, fail) => (release = () => fail(new FakeFault("crashed", true)))),
      },
    ]);
    let now = 0;
    const breaker = new BreakerSandbox(sandbox, null, () => now);
    const [hook] = pack.hooks;
    const call = (): Outcome | Promise<Outcome> =>
      breaker.call({
        program: hook!.program,
        tenant: "t",
        handler: "PreToolUse",
        args: ["{}", "{}"],
        time: 0,
        seed: [1, 2, 3, 4],
        limits: hook!.limits,
      });
    for (let index = 0; index < breakerLimits.failures; index++) {
      const under = call();
      release();
      await under;
    }
    now = 5_000;
    const trial = call();
    expect(trial).toBeInstanceOf(Promise);
    expect(await call()).toMatchObject({ ok: false, fault: { code: "quarantined" } });
    expect(sandbox.calls).toHaveLength(breakerLimits.failures + 1);
    release();
    await trial;
  });

  // rel-008: an attacker who can make the broker restart must not be able to end a quarantine that way.
  test.each(["at once", "later"])(
    "is not run after a restart either, where the store answers %s",
    async (when) => {
      await using inner = new SqliteStateStore({ path: join(folderFor(), "state.db") });
      const store: StateStore =
        when === "at once"
          ? inner
          : { read: async (key) => inner.read(key), commit: async (writes) => inner.commit(writes) };
      const runs: number[] = [];
      for (let process = 0; process < 3; process++) {
        const sandbox = new FakeSandbox();
        const pack = fakePack(sandbox, [killer]);
        const same = {
          ...pack,
          hooks: pack.hooks.map((hook) => ({ ...hook, program: { ...hook.program, key: "the-key" } })),
        };
        sandbox.define("the-key", killer.run);
        await using warden = await createWarden({ sandbox, pack: same, store });
        for (let index = 0; index < 4; index++) {
          expect((await warden.dispatch(event)).verdict).toBe("deny");
          await sleep(5);
        }
        runs.push(sandbox.calls.length);
        if (process === 1) expect((await warden.dispatch(kind)).verdict).toBe("deny");
      }
      expect(runs).toEqual([4, 1, 0]);
    },
  );
});
