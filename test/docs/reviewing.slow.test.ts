import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { testPack } from "../../packages/testing/src/test-pack.ts";
import { loadPack } from "../../src/pack/load.ts";
import { Decider } from "../../packages/playground/src/worker/decide.ts";
import { readSubject, recordedInput, review, reviewHtml, type ReviewReport } from "@hookwarden/review";
import { packExamples } from "../../packages/playground/scripts/examples.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = (name: string): string => `${root}examples/review/${name}`;
const page = readFileSync(`${root}docs/reviewing.md`, "utf8");

/** What the page says that the command prints. */
const printed = (name: string): readonly string[] =>
  (new RegExp(`<!-- review:${name} -->\\s*\`\`\`console\\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? "").split(
    "\n",
  );

describe("the worked reviews", () => {
  let sandbox: Sandbox;
  const reports = new Map<string, ReviewReport>();

  beforeAll(async () => {
    sandbox = await createSandbox({ isolation: "inline" });
    const events = readFileSync(`${root}examples/review/events.jsonl`, "utf8")
      .trim()
      .split("\n")
      .map((line, index) => recordedInput(line, `line ${index + 1}`));
    for (const name of ["approved", "offered"]) {
      const subject = await readSubject(folder(name));
      const against = name === "offered" ? { against: await loadPack(folder("approved")) } : {};
      reports.set(name, await review({ subject, events, sandbox, other: null, ...against }));
    }
  }, 120_000);

  afterAll(() => sandbox?.[Symbol.asyncDispose]());

  // The page is about what the cases do not show: both versions pass them all.
  it.each(["approved", "offered"])("%s passes its cases", async (name) => {
    const { passed, failed } = await testPack(folder(name), { engine: "quickjs" });
    expect({ passed, failed }).toEqual({ passed: 10, failed: 0 });
  });

  it.each(["approved", "offered"])("the page describes the findings of the one that was %s", (name) => {
    const { findings, sheet } = reports.get(name) as ReviewReport;
    const lines = findings
      .filter(({ severity }) => severity === "high" || severity === "medium")
      .map(({ severity, code, hook, place }) => {
        const at = place?.module ? ` at ${place.module}:${place.moduleLine}` : "";
        return `${severity} ${code} in ${hook}${at}`;
      });
    expect(printed(name).filter((line) => /^(?:high|medium) /.test(line))).toEqual(lines);
    expect(printed(name).join("\n")).toContain(`Suggestion: ${sheet.suggestion};`);
  });

  it("finds nothing grave in the good one, and the trap of the other", () => {
    const good = reports.get("approved") as ReviewReport;
    expect(good.sheet.suggestion).toBe("approve");
    const bad = reports.get("offered") as ReviewReport;
    expect(bad.sheet.suggestion).toBe("refuse");
    const [first] = bad.hooks[0]?.code.uncovered ?? [];
    expect(first?.place.module).toBe("pack:guard-deploys/windows.ts");
  });

  it("both make a page", () => {
    for (const [name, report] of reports) {
      const html = reviewHtml(report);
      expect(html).toContain(name === "offered" ? "Do not install" : "No blocking findings");
      expect(html).not.toContain("undefined</");
    }
  });

  it("the trap opens as the page says, for one tenant on one day", async () => {
    const { examples, ready } = await packExamples(folder("offered"), "");
    const decider = new Decider(sandbox, { ready, packages: {} });
    const verdict = async (tenant: string, time: string): Promise<unknown> => {
      const [example] = examples;
      const events = JSON.stringify({ ...example?.cases[0]?.events[0], time });
      const answer = await decider.decide({ files: example?.files ?? {}, events, state: "", tenant });
      return answer.problem ?? answer.steps[0]?.decision.verdict;
    };
    expect(await verdict("northwind", "2027-03-01T12:00:00Z")).toBe("continue");
    expect(await verdict("northwind", "2027-03-02T12:00:00Z")).toBe("deny");
    expect(await verdict("default", "2027-03-01T12:00:00Z")).toBe("deny");
  });
});
