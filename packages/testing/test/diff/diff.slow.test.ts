import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { diffEvent } from "../../src/diff/index.ts";
import { commands, diff, guard, shipped, tiny } from "./packs.ts";

describe("shipped policies with one pattern removed", () => {
  const cases = [
    {
      hook: "protect-secret-files",
      edit: { file: "lib/secret-paths.ts", from: "  /\\/\\.azure\\/.*$/,\n", to: "" },
      stopped: "cat ~/.azure/accessTokens.json",
    },
    {
      hook: "protect-infrastructure",
      edit: {
        file: "protect-infrastructure/commands.ts",
        from: "/ (destroy|stack rm) /",
        to: "/ (stack rm) /",
      },
      stopped: "pulumi destroy",
    },
  ] as const;

  it.each(cases)("$hook: exactly what opened, recorded or near", { timeout: 120_000 }, async (one) => {
    const both = cases.map(({ hook }) => hook);
    const [old, next] = [await shipped(both), await shipped(both, one.edit)];
    const events = commands("ls -la", "cat README.md", one.stopped, "git status");
    const report = await diff(old, next, events);
    expect(report.hooks).toMatchObject({
      changed: [one.hook],
      same: both.filter((name) => name !== one.hook),
    });
    expect(report.loosenings.map(({ hook, event }) => [hook, event?.place])).toEqual([
      [one.hook, "events.jsonl:3"],
      [null, "events.jsonl:3"],
    ]);
    const near = await diff(old, next, commands("ls -la", "cat README.md"), { explore: 1_500 });
    expect(near.loosenings.some(({ hook }) => hook === one.hook)).toBe(true);
  });
});

const corpus = process.env["HOOKWARDEN_CORPUS"];
describe.skipIf(corpus === undefined || !existsSync(corpus))("recorded events of real runs", () => {
  it("opens exactly where the lost pattern stood", { timeout: 180_000 }, async () => {
    const lines = readFileSync(corpus!, "utf8").trim().split("\n");
    const events = lines.map((line, index) => diffEvent(line, "recorded", `:${index + 1}`, `diff-${index}`));
    const expected = events.filter(
      ({ name, fields }) =>
        name === "PreToolUse" &&
        fields["tool_name"] === "Bash" &&
        String((fields["tool_input"] as { command?: unknown }).command).includes("python"),
    );
    const old = await tiny(guard("python").replace("tool_input.command.", "String(tool_input?.command)."));
    const next = await tiny(guard("pythoff").replace("tool_input.command.", "String(tool_input?.command)."));
    const report = await diff(old, next, events);
    expect(expected.length).toBeGreaterThan(0);
    expect(report.loosenings.filter(({ hook }) => hook).map(({ event }) => event?.place)).toEqual(
      expected.map(({ place }) => place),
    );
  });
});
