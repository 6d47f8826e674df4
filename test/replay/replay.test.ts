import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWarden } from "../../src/warden/index.ts";
import type { LoadedPack } from "../../src/pack/types.ts";
import type { Sandbox } from "@hookwarden/sandbox";
import { type Replayed, replayLog, type ReplayOptions } from "../../src/replay/replay.ts";
import { createQuickjsSandbox } from "@hookwarden/sandbox/quickjs";
import { moody, packOf } from "../log/packs.ts";
import { bytesOf, readLog, testFile, toolEvent } from "../log/support.ts";

let sandbox: Sandbox;
let pack: LoadedPack;

beforeAll(async () => {
  sandbox = await createQuickjsSandbox();
  pack = await packOf(moody);
});
afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
});

const commands = ["ls", "sudo ls", "boom", "sudo boom 💥", "echo \ud800"];

async function record(log: string, count: number, of: LoadedPack = pack): Promise<void> {
  const warden = await createWarden({ pack: of, sandbox, log });
  for (let index = 0; index < count; index++) {
    await warden.dispatch(toolEvent(commands[index % commands.length], `s${index % 5}`), {
      tenant: `t${index % 2}`,
    });
  }
  await warden[Symbol.asyncDispose]();
}

async function replayAll(
  source: AsyncIterable<Uint8Array>,
  options: Partial<ReplayOptions> = {},
): Promise<Replayed[]> {
  return Array.fromAsync(replayLog(source, { packs: [pack], sandbox: () => sandbox, ...options }));
}

test("hooks with dates, chance, state, rewrites and exceptions are replayed to the same decisions", async () => {
  const log = testFile();
  await record(log, 200);
  const replayed = await replayAll(createReadStream(log));
  expect(replayed).toHaveLength(200);
  expect(replayed.filter(({ result }) => result !== "same")).toEqual([]);
  // It can fail: the log holds what the hooks drew and counted.
  const verdicts = new Set((await readLog(log)).map((one) => one.decision?.verdict));
  expect(verdicts).toEqual(new Set([undefined, "deny", "continue", "ask"]));
});

test("another process replays the same log to the same proofs", async () => {
  const log = testFile();
  await record(log, 40);
  const { createProcessSandbox } = await import("@hookwarden/sandbox/process");
  await using other = await createProcessSandbox({ engine: "quickjs", processes: 1, spares: 0 });
  const [here, there] = [
    await replayAll(createReadStream(log)),
    await replayAll(createReadStream(log), { sandbox: () => other }),
  ];
  expect(there.filter(({ result }) => result !== "same")).toEqual([]);
  expect(there.map(({ proof }) => proof)).toEqual(here.map(({ proof }) => proof));
});

test("one changed line in a hook is named, with the decision that it changed", async () => {
  const log = testFile();
  await record(log, 20);
  const changed = await packOf({ ...moody, dice: { script: moody["dice"]!.script.replace("0.3", "0.9") } });
  const replayed = await replayAll(createReadStream(log), { packs: [changed] });
  const first = replayed.find(({ difference }) => difference?.pointer === "/verdict");
  expect(first?.difference).toMatchObject({ logged: '"continue"', replayed: '"deny"' });
  expect(first?.difference?.cause).toContain("hook `dice` is another one");
  expect(first?.difference?.cause).not.toContain("counter");
});

test("another manifest with the same hooks is reported as what it is", async () => {
  const log = testFile();
  await record(log, 5);
  const grants = await packOf(moody, { budgets: { injectionBytes: 10 } });
  const replayed = await replayAll(createReadStream(log), { packs: [grants] });
  expect(replayed[0]?.difference).toMatchObject({
    pointer: "/pack",
    cause: "the pack has the same hooks, but another manifest (order, grants, configuration, budgets)",
  });
});

test("decisions of a pack that was replaced are replayed with the pack that decided", async () => {
  const log = testFile();
  const next = await packOf({ dice: moody["dice"]! });
  await record(log, 3);
  await record(log, 3, next);
  const replayed = await replayAll(createReadStream(log), { packs: [next, pack] });
  expect(replayed.map(({ result }) => result)).toEqual(Array.from({ length: 6 }, () => "same"));
});

test("a log with one flipped bit is not replayed beyond it", async () => {
  const log = testFile();
  await record(log, 5);
  const bytes = await readFile(log);
  const at = bytes.indexOf('"verdict":', bytes.indexOf('"n":4,')) + 12;
  bytes[at] = (bytes[at] as number) ^ 1;
  await expect(replayAll(bytesOf(bytes))).rejects.toMatchObject({ code: "log-broken", place: { line: 5 } });
});

describe("what another run could not repeat is taken from the record", () => {
  test("a timeout replays as recorded, without waiting for it", async () => {
    const slow = await packOf({
      slow: {
        script: `export default () => { for (;;); };`,
        manifest: { limits: { wallMs: 20, steps: 500_000_000 }, actions: ["deny"], state: undefined },
      },
    });
    const log = testFile();
    const warden = await createWarden({ pack: slow, log, processes: { processes: 1, spares: 0 } });
    const decision = await warden.dispatch(toolEvent());
    await warden[Symbol.asyncDispose]();
    expect(decision.trace[0]?.fault?.code).toBe("timeout");
    const begun = performance.now();
    expect(await replayAll(createReadStream(log), { packs: [slow] })).toMatchObject([{ result: "same" }]);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test("guards for which a decision had no time left, and watchers that were left out, replay as recorded", async () => {
    const busy = `export default () => { let x = 0; for (let i = 0; i < 3e5; i++) x += i; return x < 0 ? { action: "deny", reason: "no" } : null; };`;
    const watcher = { script: busy, manifest: { mode: "monitor", actions: ["deny"], state: undefined } };
    const late = await packOf(
      {
        first: {
          script: busy,
          manifest: { limits: { wallMs: 10_000 }, actions: ["notify"], state: undefined },
        },
        watcher,
        guard: { script: busy, manifest: { actions: ["deny"], onFailure: "open", state: undefined } },
      },
      { budgets: { decisionMs: 1 }, grants: { guard: { onFailure: "open" } } },
    );
    const log = testFile();
    // A child may answer late; here the sandbox is in this process, so that the first hook is not cut short.
    const warden = await createWarden({ pack: late, sandbox, log });
    for (let index = 0; index < 5; index++) await warden.dispatch(toolEvent());
    await warden[Symbol.asyncDispose]();
    const logged = (await readLog(log)).filter(({ kind }) => kind === "decision");
    expect(logged.some(({ skipped }) => skipped.length === 2)).toBe(true);
    const replayed = await replayAll(createReadStream(log), { packs: [late] });
    expect(replayed.map(({ result, difference }) => [result, difference])).toEqual(
      logged.map(() => ["same", null]),
    );
  });
});

test("retry counters are brought back", async () => {
  const nag = await packOf({
    nag: {
      script: `export default () => ({ action: "retry", feedback: "again" });`,
      manifest: { on: [{ event: "Stop" }], actions: ["retry"], state: undefined },
    },
  });
  const log = testFile();
  const warden = await createWarden({ pack: nag, sandbox, log });
  const verdicts: string[] = [];
  for (let index = 0; index < 5; index++) {
    verdicts.push((await warden.dispatch({ hook_event_name: "Stop", session_id: "s1" })).verdict);
  }
  await warden[Symbol.asyncDispose]();
  expect(verdicts).toEqual(["retry", "retry", "retry", "continue", "continue"]);
  const replayed = await replayAll(createReadStream(log), { packs: [nag] });
  expect(replayed.map(({ result }) => result)).toEqual(verdicts.map(() => "same"));
});

test("schemas of tools come from the log", async () => {
  const wide = await packOf({
    wide: {
      script: `export default () => ({ action: "modify_input", input: { command: 5 } });`,
      manifest: { actions: ["modify_input"], state: undefined },
    },
  });
  const log = testFile();
  const tools = { Bash: { type: "object", properties: { command: { type: "string" } } } };
  const warden = await createWarden({ pack: wide, sandbox, log, tools });
  const decision = await warden.dispatch(toolEvent());
  await warden[Symbol.asyncDispose]();
  expect(decision.trace[0]?.fault?.code).toBe("invalid-output");
  expect(await replayAll(createReadStream(log), { packs: [wide] })).toMatchObject([{ result: "same" }]);
  expect(await replayAll(createReadStream(log), { packs: [wide], tools: {} })).toMatchObject([
    { result: "different" },
  ]);
});

test("a log whose hashes were computed again over another decision is noticed by the replay", async () => {
  const { asciiJson, seal } = await import("../../src/log/line.ts");
  const log = testFile();
  await record(log, 3);
  const lines = (await readFile(log, "utf8")).split("\n").filter(Boolean);
  let prev = "";
  const forged = lines.map((line) => {
    const { hash, prev: before, n, tenant, seq, ...members } = JSON.parse(line) as { [member: string]: any };
    void hash;
    if (members["decision"]?.verdict === "continue") members["decision"].verdict = "allow";
    const place = { n, prev: prev || before, ...(tenant === undefined ? {} : { tenant, seq }) };
    const sealed = seal(asciiJson(JSON.stringify(members)).slice(0, -1), place);
    prev = sealed.hash;
    return sealed.line;
  });
  await writeFile(log, `${forged.join("\n")}\n`);
  const replayed = await replayAll(createReadStream(log));
  const lied = replayed.find(({ result }) => result === "different");
  expect(lied?.difference).toMatchObject({
    pointer: "/verdict",
    logged: '"allow"',
    replayed: '"continue"',
    cause: "nothing that the log records was different",
  });
});

test("a decision in degraded mode is replayed with the rules that the log has", async () => {
  const broken = await packOf({
    thrower: {
      script: `export default () => { throw new Error("x"); };`,
      manifest: { actions: ["deny"], onFailure: "closed", state: undefined },
    },
  });
  const log = testFile();
  const warden = await createWarden({ pack: broken, sandbox, log });
  const { verdict, reason, additions } = await warden.dispatch(toolEvent(), {
    rules: { degraded: "asked until noon" },
  });
  expect({ verdict, reason }).toEqual({
    verdict: "ask",
    reason: expect.stringMatching(/^hook `thrower` failed, .*; asked until noon$/) as unknown,
  });
  expect(additions.notices.map(({ text }) => text)).toEqual([reason]);
  // A system that cannot ask gets the denial.
  const carries = new Map([["PreToolUse", new Set(["deny"] as const)] as const]);
  const other = await warden.dispatch(toolEvent(), { rules: { degraded: "asked until noon", carries } });
  expect(other).toMatchObject({ verdict: "deny", additions: { notices: [] } });
  await warden[Symbol.asyncDispose]();
  const replayed = await replayAll(createReadStream(log), { packs: [broken] });
  expect(replayed.map(({ result }) => result)).toEqual(["same", "same"]);
});

test("rules of other systems' words come from the log", async () => {
  const { dialects } = await import("../../src/dialects/index.ts");
  const { rulesOf } = await import("../../src/dialects/rules.ts");
  const mixed = await packOf({
    mixed: {
      script: `export default () => [{ action: "skip", reason: "no" }, { action: "notify", text: "hm" }];`,
      manifest: { actions: ["skip", "notify"], state: undefined },
    },
    thrower: {
      script: `export default () => { throw new Error("x"); };`,
      manifest: { actions: ["deny"], state: undefined },
    },
  });
  const log = testFile();
  const warden = await createWarden({ pack: mixed, sandbox, log });
  for (const dialect of dialects.values()) {
    for (const rules of new Set(rulesOf(dialect).values())) await warden.dispatch(toolEvent(), { rules });
  }
  await warden.dispatch(toolEvent());
  await warden[Symbol.asyncDispose]();
  const replayed = await replayAll(createReadStream(log), { packs: [mixed] });
  expect(replayed.length).toBeGreaterThan(3);
  expect(replayed.map(({ result }) => result)).toEqual(replayed.map(() => "same"));
  // It can fail: the systems do not all decide the same.
  const logged = (await readLog(log)).filter(({ kind }) => kind === "decision");
  expect(
    new Set(
      logged.map(({ decision }) =>
        JSON.stringify(decision.trace.map((entry: any) => [entry.outcome, entry.refused])),
      ),
    ).size,
  ).toBeGreaterThan(1);
});

test(
  "decisions of the isolate engine replay on it, and on the other one but for steps",
  { timeout: 60_000 },
  async () => {
    const { createProcessSandbox } = await import("@hookwarden/sandbox/process");
    await using isolate = await createProcessSandbox({ engine: "isolate", processes: 1, spares: 0 });
    const log = testFile();
    const steady = await packOf({ counter: moody["counter"]!, rewriter: moody["rewriter"]! });
    const warden = await createWarden({ pack: steady, sandbox: isolate, log });
    for (let index = 0; index < 20; index++)
      await warden.dispatch(toolEvent(commands[index % commands.length]));
    await warden[Symbol.asyncDispose]();
    for (const other of [isolate, sandbox]) {
      const replayed = await replayAll(createReadStream(log), { packs: [steady], sandbox: () => other });
      expect(replayed.filter(({ result }) => result !== "same")).toEqual([]);
    }
  },
);

test("the place of a fault is logged, replayed and compared", async () => {
  const throwing = (lines: string): Parameters<typeof packOf>[0] => ({
    thrower: { script: `export default () => {${lines}  throw new Error("x");\n};` },
  });
  const first = await packOf(throwing("\n"));
  const log = testFile();
  await record(log, 3, first);
  const logged = (await readLog(log)).find(({ decision }) => decision)?.decision;
  expect(logged?.trace[0]?.fault?.at).toMatchObject({ file: "thrower/hook.js", line: 2 });
  const same = await replayAll(createReadStream(log), { packs: [first] });
  expect(same.map(({ result }) => result)).toEqual(["same", "same", "same"]);
  const moved = await replayAll(createReadStream(log), { packs: [await packOf(throwing("\n\n"))] });
  expect(moved[0]?.difference).toMatchObject({
    pointer: "/trace/0/fault/at/line",
    logged: "2",
    replayed: "3",
  });
});
