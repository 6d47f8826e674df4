import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { type Input, readSubject, recordedInput, review, type Subject } from "../src/index.ts";

const root = new URL("../../../policies", import.meta.url).pathname;
const corpus = join(process.env["HOOKWARDEN_CORPUS"] ?? "", "swe-agent-events.jsonl");
const all = process.env["HOOKWARDEN_REVIEW"] === "all";
/** Those whose reviews take seconds and differ most; `HOOKWARDEN_REVIEW=all` reviews every one, over the whole corpus. */
const some: ReadonlySet<string> = new Set([
  "tool-call-budget",
  "flag-prompt-injection",
  "allow-models",
  "tests-before-stop",
]);

let sandbox: Sandbox;
let subject: Subject;
let events: readonly Input[] = [];
beforeAll(async () => {
  sandbox = await createSandbox({ isolation: "inline" });
  subject = await readSubject(root);
  if (all && existsSync(corpus)) {
    const lines = readFileSync(corpus, "utf8").split("\n").filter(Boolean);
    events = lines.map((line, index) => recordedInput(line, `corpus:${index + 1}`));
  } else if (all)
    console.log(
      "HOOKWARDEN_CORPUS has no swe-agent-events.jsonl: policies are reviewed without recorded events",
    );
});
afterAll(() => sandbox[Symbol.asyncDispose]());

const names = JSON.parse(readFileSync(join(root, "hookwarden.json"), "utf8")) as {
  readonly hooks: readonly string[];
};

describe("a review of a shipped policy", () => {
  it.each(names.hooks.filter((name) => all || some.has(name)))(
    "finds nothing grave in %s",
    { timeout: 600_000 },
    async (name) => {
      const report = await review({
        subject: { ...subject, hooks: new Set([name]) },
        events,
        sandbox,
        other: null,
      });
      expect(report.findings.filter(({ severity }) => severity === "high")).toEqual([]);
      const [hook] = report.hooks;
      expect(hook?.reads.lost).toBe(0);
      expect(hook?.reads.interference.leaks).toEqual([]);
      expect(hook?.behaviour.determinism.watched.different).toBe(0);
      expect(hook?.code.coverage.own.taken).toBeGreaterThan(0);
    },
  );
});
