import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asciiJson, seal } from "../../src/log/line.ts";
import { fakeWarden } from "../support/fake-warden.ts";
import { guard, toolEvent, verifyText } from "./support.ts";
import { propertyRuns } from "../support/property-runs.ts";

/** Ten decisions of two tenants: start, pack, ten decisions, end. */
let lines: string[];

beforeAll(async () => {
  const log = join(mkdtempSync(join(tmpdir(), "hookwarden-log-")), "log.jsonl");
  const { warden } = await fakeWarden([guard], {}, { log });
  for (let index = 0; index < 10; index++) {
    await warden.dispatch(toolEvent(`rm ü ${index}`), { tenant: `t${index % 2}`, decisionId: `d${index}` });
  }
  await warden[Symbol.asyncDispose]();
  lines = (await readFile(log, "utf8")).split("\n").filter(Boolean);
});

function check(changed: readonly string[], options?: object) {
  return verifyText(`${changed.join("\n")}\n`, options);
}

test("a whole log holds", async () => {
  expect(await check(lines)).toMatchObject({
    problem: null,
    records: 13,
    decisions: 10,
    tenants: 2,
    closed: true,
    interruptions: [],
  });
});

test("an empty log holds, and has nothing in it", async () => {
  expect(await verifyText("")).toMatchObject({ problem: null, records: 0, closed: false, head: null });
});

test("every flipped bit is found, and the record that it is in is named", async () => {
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  const starts = lines.reduce<number[]>(
    (all, line) => [...all, (all.at(-1) as number) + line.length + 1],
    [0],
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 2), fc.nat(7), async (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << bit);
      const line = starts.findLastIndex((start) => start <= at) + 1;
      const { problem } = await verifyText(changed);
      // Without its `hash` member, the first line is no longer recognised as a record at all.
      const kinds = line === 1 ? ["changed", "not-a-log"] : ["changed"];
      expect(problem).toMatchObject({ kind: expect.toBeOneOf(kinds), record: line });
    }),
    { numRuns: propertyRuns(80) },
  );
});

test("a dropped record is named", async () => {
  expect((await check(lines.toSpliced(4, 1))).problem).toMatchObject({
    kind: "dropped",
    record: 5,
    line: 5,
    message: "record 5 is missing before line 5",
  });
  expect((await check(lines.toSpliced(4, 3))).problem).toMatchObject({
    kind: "dropped",
    record: 5,
    message: "records 5 to 7 are missing before line 5",
  });
});

test("a log without its beginning is named", async () => {
  expect((await check(lines.slice(2))).problem).toMatchObject({
    kind: "dropped",
    record: 1,
    message: "records 1 to 2 are missing before line 1",
  });
});

test("a record that moved back is distinguished from one that is missing", async () => {
  const moved = lines.toSpliced(4, 1).toSpliced(8, 0, lines[4] as string);
  expect((await check(moved)).problem).toMatchObject({
    kind: "reordered",
    record: 5,
    message: "record 5 stands at line 9, behind record 6 at line 5",
  });
});

test("a record that stands twice is named", async () => {
  expect((await check(lines.toSpliced(6, 0, lines[3] as string))).problem).toMatchObject({
    kind: "reordered",
    record: 4,
    message: "record 4 stands at line 7, behind record 6",
  });
});

test("a log that is cut in the middle of a record is named, wherever it is cut", async () => {
  const text = `${lines.join("\n")}\n`;
  for (const short of [1, 2, 40, 300]) {
    expect((await verifyText(text.slice(0, -short))).problem).toMatchObject({
      kind: "torn",
      followed: false,
    });
  }
});

test("bytes of another encoding, and half a character of UTF-8, are a change of their record", async () => {
  const raw = Buffer.from((lines[5] as string).replace("\\u00fc", "ü"));
  const half = raw.subarray(0, raw.indexOf(0xc3) + 1);
  for (const bad of [raw, Buffer.concat([half, raw.subarray(half.length + 1)])]) {
    const changed = Buffer.concat([
      Buffer.from(`${lines.slice(0, 5).join("\n")}\n`),
      bad,
      Buffer.from(`\n${lines.slice(6).join("\n")}\n`),
    ]);
    expect((await verifyText(changed)).problem).toMatchObject({ kind: "changed", record: 6 });
  }
  const cut = Buffer.concat([Buffer.from(`${lines.slice(0, 5).join("\n")}\n`), half]);
  expect((await verifyText(cut)).problem).toMatchObject({ kind: "torn", record: 6 });
});

test("a record that was made anew, hash and all, does not fit the one behind it", async () => {
  const { hash, n, prev, tenant, seq, ...members } = JSON.parse(lines[5] as string) as {
    [member: string]: any;
  };
  void hash;
  members["decision"].verdict = "allow";
  const { line } = seal(asciiJson(JSON.stringify(members)).slice(0, -1), { n, prev, tenant, seq });
  expect((await check(lines.with(5, line))).problem).toMatchObject({
    kind: "changed",
    record: 6,
    message: "record 6 (line 6) is not the one that record 7 was written behind",
  });
});

test("a record of another log in the place of ours does not fit", async () => {
  const { line } = seal('{"kind":"end"', { n: 4, prev: `sha256:${"a".repeat(64)}` });
  expect((await check(lines.with(3, line))).problem).toMatchObject({ kind: "changed" });
});

test("numbers of a tenant must have no gap, even where every hash is right", async () => {
  const start = JSON.parse(lines[0] as string) as { prev: string; hash: string };
  const { line } = seal('{"kind":"decision"', { n: 2, prev: start.hash, tenant: "t`1\u001b", seq: 2 });
  const { problem } = await check([lines[0] as string, line]);
  expect(problem).toMatchObject({ kind: "dropped", record: 2 });
  expect(problem?.message).toBe("tenant `t\\u{60}1\\u{1b}` has number 2 in record 2 (line 2), and 1 is due");
});

test("a second log behind the first is refused, unless runs were gathered on purpose", async () => {
  expect((await check([...lines, ...lines])).problem).toMatchObject({ kind: "restarted", record: 14 });
  expect(await check([...lines, ...lines], { restarts: true })).toMatchObject({
    problem: null,
    decisions: 20,
  });
});

describe("a head that was noted down", () => {
  test("shows that the end was cut off", async () => {
    const { hash } = JSON.parse(lines.at(-1) as string) as { hash: string };
    expect((await check(lines, { expect: hash })).problem).toBeNull();
    expect((await check(lines.slice(0, -3), { expect: hash })).problem).toMatchObject({
      kind: "missing-head",
    });
    expect(await check(lines.slice(0, -3))).toMatchObject({ problem: null, closed: false });
  });

  test("need not be the last one", async () => {
    const { hash } = JSON.parse(lines[6] as string) as { hash: string };
    expect((await check(lines, { expect: hash })).problem).toBeNull();
  });
});

test("what is no log is not taken for one", async () => {
  for (const text of [
    "hello\n",
    "{}\n",
    "[]\n",
    "\n",
    '{"kind":"start","hash":"sha256:0"}\n',
    "\u0000".repeat(4_096),
  ]) {
    expect((await verifyText(text)).problem).toMatchObject({ record: 1 });
  }
});
