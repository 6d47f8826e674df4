import { expect, test } from "vitest";
import { linearPattern } from "../../src/program/patterns.ts";

const find = (source: string, text: string, flags = ""): string | null | undefined =>
  linearPattern({ source, flags })?.(text);

test("a pattern finds what JavaScript finds", () => {
  expect(find("\\brm\\s+-[rf]{2}", "sudo rm  -rf /")).toBe("rm  -rf");
  expect(find("DROP\\/table", "x drop/TABLE y", "i")).toBe("drop/TABLE");
  expect(find("(?<verb>push|pull)$", "git push --force")).toBeNull();
});

test("an assertion that looks around is left out", () => {
  expect(find("push(?!\\s+--dry-run)\\b", "git push --dry-run")).toBe("push");
});

test("what RE2 cannot read is not used", () => {
  expect(linearPattern({ source: "(x{1000}){1000}", flags: "" })).toBeNull();
  expect(linearPattern({ source: "a".repeat(1_001), flags: "" })).toBeNull();
});

// Attack: a pattern that takes exponential time in JavaScript. Matched outside the sandbox, where no limit of time
// holds, it would keep the review from ending.
test("a pattern with nested repetitions cannot hold up its review", () => {
  expect(find("^(?:a+)+$", `${"a".repeat(4_000)}!`)).toBeNull();
});
