import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createWarden } from "../../src/warden/index.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { killAfter, loggedIds } from "./kill.ts";
import { guard, readLog, testFile, toolEvent, verifyText } from "./support.ts";
import { fakePack } from "../support/fake-pack.ts";
import { FakeSandbox } from "../support/fake-sandbox.ts";

const rounds = 10;

describe("kill -9 in the middle of logging", () => {
  test(
    "where the log fails closed, no decision was answered without its record",
    { timeout: 30_000 + rounds * 5_000 },
    async () => {
      const log = testFile();
      let answeredInAll = 0;
      for (let round = 0; round < rounds; round++) {
        const { answered } = await killAfter(log, 1 + Math.floor(Math.random() * 400), {
          onFull: "closed",
          flush: "each",
        });
        answeredInAll += answered.length;
        const logged = new Set(loggedIds(log));
        expect(answered.filter((id) => !logged.has(id))).toEqual([]);
      }
      const { warden } = await fakeWarden([guard], {}, { log });
      await warden[Symbol.asyncDispose]();
      const report = await verifyText(readFileSync(log));
      expect(report.problem).toBeNull();
      expect(report.decisions).toBeGreaterThanOrEqual(answeredInAll);
      expect(report.interruptions).toHaveLength(rounds);
      // What was torn off lies beside the log, byte for byte.
      const torn = report.interruptions.filter(({ tornFile }) => tornFile !== null);
      for (const { tornFile, tornBytes } of torn)
        expect(readFileSync(join(dirname(log), tornFile as string))).toHaveLength(tornBytes);
    },
  );

  test(
    "otherwise at most what was not flushed is missing, and it is the end",
    { timeout: 60_000 },
    async () => {
      const log = testFile();
      const { answered } = await killAfter(log, 1_500, { flush: { everyMs: 50, everyRecords: 100 } });
      const logged = loggedIds(log);
      // Records are written in the order of the answers: those that are missing are the last ones.
      expect(logged).toEqual([...answered, ...logged.slice(answered.length)].slice(0, logged.length));
      expect(logged.length).toBeGreaterThan(0);
    },
  );
});

describe("opening a log behind a crash", () => {
  async function logWithTwo(): Promise<string> {
    const log = testFile();
    const { warden } = await fakeWarden([guard], {}, { log: { to: log, flush: "each" } });
    await warden.dispatch(toolEvent());
    await warden.dispatch(toolEvent());
    await warden[Symbol.asyncDispose]();
    return log;
  }

  async function reopen(log: string): Promise<void> {
    const { warden } = await fakeWarden([guard], {}, { log });
    await warden.dispatch(toolEvent());
    await warden[Symbol.asyncDispose]();
  }

  test("half a record is set aside, the chain goes on, and the log says so", async () => {
    const log = await logWithTwo();
    const before = readFileSync(log);
    truncateSync(log, before.length - 40);
    await reopen(log);
    const lines = await readLog(log);
    const start = lines.findLast(({ kind }) => kind === "start");
    const tornAt = before.lastIndexOf("\n", before.length - 2) + 1;
    const torn = before.subarray(tornAt, before.length - 40);
    expect(start?.["recovery"]).toMatchObject({
      closed: false,
      torn: { bytes: torn.length, file: "decisions.jsonl.torn-5" },
    });
    expect(readFileSync(`${log}.torn-5`)).toEqual(torn);
    expect(lines.filter(({ kind }) => kind === "decision").map((one) => one["seq"])).toEqual([1, 2, 3]);
    expect(await verifyText(readFileSync(log))).toMatchObject({
      problem: null,
      interruptions: [{ record: 5, tornBytes: torn.length }],
    });
  });

  test("a tail of zeros, as a power cut leaves it, is set aside", async () => {
    const log = await logWithTwo();
    appendFileSync(log, Buffer.alloc(5_000));
    await reopen(log);
    expect(await verifyText(readFileSync(log))).toMatchObject({
      problem: null,
      decisions: 3,
      interruptions: [{ tornBytes: 5_000 }],
    });
  });

  test("a run that was killed between two records is reported, though nothing is torn", async () => {
    const log = await logWithTwo();
    const whole = readFileSync(log, "utf8").trimEnd().split("\n");
    writeFileSync(log, `${whole.slice(0, -1).join("\n")}\n`);
    await reopen(log);
    expect(await verifyText(readFileSync(log))).toMatchObject({
      problem: null,
      interruptions: [{ record: 5, tornBytes: 0, tornFile: null }],
    });
  });

  test("a log whose very first record is half written begins anew", async () => {
    const log = testFile();
    writeFileSync(log, '{"kind":"start","form');
    await reopen(log);
    expect(await verifyText(readFileSync(log))).toMatchObject({
      problem: null,
      decisions: 1,
      interruptions: [{ record: 1 }],
    });
  });

  test("a log with a changed record in the middle is not written to, and not touched", async () => {
    const log = await logWithTwo();
    const changed = readFileSync(log, "utf8").replace('"command":"ls"', '"command":"sl"');
    writeFileSync(log, changed);
    await expect(reopen(log)).rejects.toMatchObject({
      code: "log-broken",
      message: "record 3 (line 3) is not what was written",
    });
    expect(readFileSync(log, "utf8")).toBe(changed);
    expect(readdirSync(dirname(log))).toEqual(["decisions.jsonl"]);
  });

  test("a file that is no log, named by mistake, is not written to, and not touched", async () => {
    const file = testFile("precious.txt");
    writeFileSync(file, "precious\n");
    await expect(reopen(file)).rejects.toMatchObject({ code: "log-broken" });
    expect(readFileSync(file, "utf8")).toBe("precious\n");
  });

  test("a folder, and a folder that is not there, are refused with a code", async () => {
    const log = testFile();
    await expect(reopen(dirname(log))).rejects.toMatchObject({ code: "log-failed" });
    await expect(reopen(join(log, "x"))).rejects.toMatchObject({ code: "log-failed" });
  });

  test("a warden whose log cannot be opened leaves nothing running", async () => {
    const sandbox = new FakeSandbox();
    const pack = fakePack(sandbox, [guard]);
    await expect(
      createWarden({ pack, log: "/", processes: { processes: 1, spares: 0 } }),
    ).rejects.toMatchObject({ code: "log-failed" });
  });
});
