import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { fakeWarden } from "../support/fake-warden.ts";
import { bytesOf, guard, readLog, testFile, toolEvent, verifyText } from "./support.ts";
import { readFile } from "node:fs/promises";
import { engineIdentity, openLog, verifyLog } from "../../src/log/index.ts";

test("a decision is logged with all that it takes to make it again", async () => {
  const log = testFile();
  const { warden } = await fakeWarden([guard], {}, { log });
  const decision = await warden.dispatch(toolEvent("rm -rf /"), { decisionId: "d1", tenant: "acme" });
  await warden[Symbol.asyncDispose]();
  const [start, pack, record, end] = await readLog(log);
  expect(start).toMatchObject({
    kind: "start",
    format: 1,
    n: 1,
    recovery: null,
    engine: { name: "quickjs" },
  });
  expect(pack).toMatchObject({ kind: "pack", n: 2, pack: decision.pack, hooks: [{ name: "guard" }] });
  expect(record).toMatchObject({
    kind: "decision",
    n: 3,
    tenant: "acme",
    seq: 1,
    replayable: true,
    event: { tool_input: { command: "rm -rf /" }, session_id: "s1" },
    calls: [{ hook: "guard", recheck: false, output_text: '{"action":"deny","reason":"no: rm -rf /"}' }],
    state: {},
    retries: {},
    reruns: 0,
  });
  expect(record?.decision).toEqual(JSON.parse(JSON.stringify(decision)));
  for (const digest of [
    record?.catalogue,
    record?.calls[0].input,
    record?.calls[0].output,
    start?.engine.digest,
  ]) {
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  }
  expect(record?.calls[0].seed).toHaveLength(4);
  expect(end).toMatchObject({ kind: "end", n: 4 });
});

test("sequence numbers have no gap within a tenant, and decisions of many tenants stand in one chain", async () => {
  const log = testFile();
  const { warden } = await fakeWarden([guard], {}, { log });
  await Promise.all(
    Array.from({ length: 60 }, (_, index) => warden.dispatch(toolEvent(), { tenant: `t${index % 3}` })),
  );
  await warden[Symbol.asyncDispose]();
  const records = (await readLog(log)).filter(({ kind }) => kind === "decision");
  for (const tenant of ["t0", "t1", "t2"]) {
    expect(records.filter((one) => one.tenant === tenant).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  }
  expect(await verifyText(await readFile(log))).toMatchObject({
    problem: null,
    decisions: 60,
    tenants: 3,
    closed: true,
  });
});

test("a log that is there already goes on: same chain, same sequence", async () => {
  const log = testFile();
  for (let run = 0; run < 3; run++) {
    const { warden } = await fakeWarden([guard], {}, { log });
    await warden.dispatch(toolEvent());
    await warden[Symbol.asyncDispose]();
  }
  const lines = await readLog(log);
  expect(lines.filter(({ kind }) => kind === "decision").map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(lines.map(({ n }) => n)).toEqual(lines.map((_, index) => index + 1));
  expect(new Set(lines.filter(({ kind }) => kind === "start").map((one) => one.log)).size).toBe(1);
  expect(lines.findLast(({ kind }) => kind === "start")?.recovery).toEqual({ closed: true, torn: null });
  const report = await verifyText(await readFile(log));
  expect(report).toMatchObject({ problem: null, decisions: 3, interruptions: [] });
});

test("a warden exposes the head of its log, to be noted down", async () => {
  const log = testFile();
  const { warden } = await fakeWarden([guard], {}, { log: { to: log, flush: "each" } });
  await warden.dispatch(toolEvent());
  const head = warden.logHead;
  await warden[Symbol.asyncDispose]();
  const bytes = await readFile(log);
  expect(head?.records).toBe(3);
  expect((await verifyText(bytes, { expect: head?.hash ?? "" })).problem).toBeNull();
  const cut = bytes.subarray(0, bytes.indexOf("\n", bytes.indexOf("\n") + 1) + 1);
  expect((await verifyText(cut, { expect: head?.hash ?? "" })).problem).toMatchObject({
    kind: "missing-head",
  });
});

test("a log goes to a function, line by line, and waits for it", async () => {
  const lines: string[] = [];
  const { warden } = await fakeWarden(
    [guard],
    {},
    {
      log: {
        to: async (line) => {
          await new Promise((done) => setTimeout(done, 1));
          lines.push(line);
        },
      },
    },
  );
  await warden.dispatch(toolEvent());
  await warden[Symbol.asyncDispose]();
  expect(lines.every((line) => !line.includes("\n"))).toBe(true);
  expect(await verifyText(`${lines.join("\n")}\n`)).toMatchObject({
    problem: null,
    decisions: 1,
    closed: true,
  });
});

test("text of hooks stands in the log as it came, and nothing in the file acts on a terminal", async () => {
  const log = testFile();
  const nasty = "\u001b]0;owned\u0007\u202eevil\u{e0041} é";
  const hook = { name: "loud", run: () => ({ action: "deny", reason: nasty }) };
  const { warden } = await fakeWarden([hook], {}, { log });
  await warden.dispatch(toolEvent());
  await warden[Symbol.asyncDispose]();
  const bytes = await readFile(log);
  expect(bytes.every((byte) => byte === 0x0a || (byte >= 0x20 && byte < 0x7f))).toBe(true);
  const record = (await readLog(log)).find(({ kind }) => kind === "decision");
  expect(JSON.parse(record?.calls[0].output_text).reason).toBe(nasty);
  expect(record?.decision.reason).not.toContain("\u001b");
});

test("a log file is readable for its owner only", async () => {
  if (process.platform === "win32") return;
  const log = testFile();
  const { warden } = await fakeWarden([guard], {}, { log });
  await warden[Symbol.asyncDispose]();
  expect((await stat(log)).mode & 0o777).toBe(0o600);
});

test("a pack that is replaced is recorded before the first decision that it makes", async () => {
  const log = testFile();
  const { warden, sandbox } = await fakeWarden([guard], {}, { log });
  const { fakePack } = await import("../support/fake-pack.ts");
  await warden.dispatch(toolEvent());
  await warden.reload(fakePack(sandbox, [guard]));
  const second = await warden.dispatch(toolEvent());
  await warden[Symbol.asyncDispose]();
  const kinds = (await readLog(log)).map(({ kind }) => kind);
  expect(kinds).toEqual(["start", "pack", "decision", "pack", "decision", "end"]);
  expect((await readLog(log))[3]).toMatchObject({ pack: second.pack });
});

test("rules of a host's own dialect of events are recorded once", async () => {
  const log = testFile();
  const rules = {
    name: "small",
    onFailure: new Map([["Stop" as const, "open" as const]]),
    carries: new Map([["PreToolUse" as const, new Set(["deny" as const])]]),
  };
  const { warden } = await fakeWarden([guard], {}, { log });
  await warden.dispatch(toolEvent());
  await warden.dispatch(toolEvent(), { rules });
  await warden.dispatch(toolEvent(), { rules });
  await warden[Symbol.asyncDispose]();
  const lines = await readLog(log);
  const recorded = lines.filter(({ kind }) => kind === "rules");
  expect(recorded).toMatchObject([
    { means: { name: "small", onFailure: { Stop: "open" }, carries: { PreToolUse: ["deny"] } } },
  ]);
  expect(lines.filter(({ kind }) => kind === "decision").map((one) => one.rules)).toEqual([
    null,
    recorded[0]?.rules,
    recorded[0]?.rules,
  ]);
});

test("lines are read the same, however the bytes are cut", async () => {
  const log = testFile();
  const { warden } = await fakeWarden([guard], {}, { log });
  for (let index = 0; index < 5; index++) await warden.dispatch(toolEvent());
  await warden[Symbol.asyncDispose]();
  const bytes = await readFile(log);
  for (const size of [1, 2, 3, 64, 4_096, bytes.length]) {
    expect(await verifyLog(bytesOf(bytes, size))).toMatchObject({ problem: null, decisions: 5 });
  }
});

test("a log that is already open serves one warden after another, and stays open", async () => {
  const path = testFile();
  const context = { engine: engineIdentity("quickjs", "0"), tools: undefined, pristine: true };
  const log = await openLog(path, context);
  for (const decisionId of ["d1", "d2"]) {
    const { warden } = await fakeWarden([guard], {}, { log });
    await warden.dispatch(toolEvent(), { decisionId });
    await warden[Symbol.asyncDispose]();
  }
  await log.close();
  const records = await readLog(path);
  const kinds = records.map(({ kind }) => kind).filter((kind) => kind !== "pack");
  expect(kinds).toEqual(["start", "decision", "decision", "end"]);
});
