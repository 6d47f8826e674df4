import { describe, expect, test } from "vitest";
import { bash, packWith } from "../../packages/testing/test/cases/packs.ts";
import { cliProcess, folder, start, write } from "./cli.ts";

const good = { name: "good", event: bash("rm"), expect: { verdict: "deny" } };
const bad = { name: "bad", event: bash("ls"), expect: { verdict: "deny" } };

describe("hookwarden test", { timeout: 60_000 }, () => {
  test("exits 0 where all pass, 1 where one fails, and says why", async () => {
    await using dir = await folder(packWith([good, bad]));
    const args = ["test", dir.path, "--engine", "quickjs"];
    const failing = await cliProcess(args);
    expect(failing.code).toBe(1);
    expect(failing.out).toMatch(
      / {2}bad \(quickjs\)\n {4}guard\/cases\.json at \/1\n {4}verdict\n {6}wanted "deny"\n {6}got "continue"\n/,
    );
    expect((await cliProcess([...args, "--filter", "good"])).code).toBe(0);
    const tap = await cliProcess([...args, "--format", "tap"]);
    expect(tap.out).toMatch(/^TAP version 14\n1\.\.2\nok 1 - guard: good \(quickjs\)\nnot ok 2 - /);
  });

  test("exits 1 where too few lines ran", async () => {
    await using dir = await folder(packWith([good]));
    const ran = await cliProcess([
      "test",
      dir.path,
      "--engine",
      "quickjs",
      "--coverage",
      "--threshold",
      "95",
    ]);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain("of the lines ran, which is less than 95 %");
    expect(ran.out.split("\n").every((line) => line.length <= 80)).toBe(true);
  });

  test.each([
    ["a misspelt field", [{ ...good, expekt: {} }], "did you mean `expect`?"],
    [
      "a misspelt expectation",
      [{ ...good, expect: { verdict: "deny", raeson: "x" } }],
      "did you mean `reason`?",
    ],
    ["no list", {}, "list"],
  ])("refuses %s with one sentence", async (_, cases, word) => {
    await using dir = await folder(packWith(cases));
    const ran = await cliProcess(["test", dir.path]);
    expect(ran.code).toBe(65);
    expect(ran.err).toMatch(/^cases-invalid: guard\/cases\.json/);
    expect(ran.err).toContain(word);
    expect(ran.err.trimEnd().split("\n")).toHaveLength(1);
  });

  test("refuses options that do not go together", async () => {
    expect((await cliProcess(["test", ".", "--threshold", "95"])).code).toBe(64);
    expect((await cliProcess(["test", ".", "--coverage", "--threshold", "950"])).code).toBe(64);
  });

  test("with --watch, runs again when a file of the pack changes, and ends at a signal", async () => {
    await using dir = await folder(packWith([good, bad]));
    const child = start(["test", dir.path, "--engine", "quickjs", "--watch"]);
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (out += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part));
    const ended = new Promise<number | null>((done) => child.on("close", done));
    try {
      // What was printed last and is complete; a write may be seen in two steps, and run twice.
      const last = (): string => out.split("Waiting for a change").at(-2) ?? "";
      const shows = async (text: string): Promise<void> => {
        await expect.poll(last, { timeout: 30_000 }).toContain(text);
      };
      await shows("bad (quickjs)");
      await write(dir.path, { "guard/cases.json": [good] });
      await shows("1 case on quickjs");
      expect(last()).not.toContain("bad (quickjs)");
      // A mistake is reported, and does not end the watch.
      const before = err.length;
      await write(dir.path, { "guard/cases.json": "[" });
      await expect.poll(() => err.length, { timeout: 30_000 }).toBeGreaterThan(before);
      await write(dir.path, { "guard/cases.json": [good, bad] });
      await shows("bad (quickjs)");
    } finally {
      child.kill("SIGINT");
    }
    expect(await ended).not.toBeNull();
  });
});
