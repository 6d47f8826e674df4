import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "@hookwarden/sandbox";
import { readSubject, review, type ReviewReport } from "../../src/index.ts";
import { packOf } from "../malicious/pack.ts";

const denies = (condition: string): string =>
  `export default (event) => (${condition} ? { action: "deny", reason: "recursive deletion" } : undefined);`;
const deletion = denies("/rm -rf/.test(event.tool_input.command)");
const manifest = { on: [{ event: "PreToolUse", matcher: "Bash" }], reads: ["tool_input"], actions: ["deny"] };

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ isolation: "inline" });
});
afterAll(() => sandbox[Symbol.asyncDispose]());

async function reportOf(source: string, own: object, cases: readonly object[] = []): Promise<ReviewReport> {
  await using pack = await packOf("guard", source, own);
  await writeFile(join(pack.path, "guard/cases.json"), JSON.stringify(cases));
  return review({
    subject: await readSubject(pack.path),
    events: [],
    sandbox,
    other: null,
    host: { pristine: false, realm: "fresh" },
  });
}

/** The hook itself is harmless: its manifest keeps it from being called wherever the agent describes a step so. */
it("finds a condition of a subscription that lets past what the hook stops", async () => {
  const when = { not: { path: "tool_input.description", prefix: "Routine" } };
  const report = await reportOf(deletion, { ...manifest, on: [{ ...manifest.on[0], when }] });
  const found = report.findings.find(({ code }) => code === "when-opens");
  expect(found).toMatchObject({ severity: "high" });
  expect(found?.evidence.find(({ label }) => label === "not called")?.text.text).toContain("Routine");
  const [hook] = report.hooks;
  expect(hook?.powers.on[0]?.when).toContain("tool_input.description");
  expect(hook?.powers.list.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["pristine: false", "realm: fresh"]),
  );
});

/** An author of events who pads a command beyond the limits of a fact makes the fact unknown. */
it("calls a hook with facts that are not known, and varies the fields behind them", async () => {
  const source = denies(
    'event.facts.shell.ok && event.facts.shell.commands.some(({ argv }) => argv.includes("-rf"))',
  );
  const { findings } = await reportOf(source, { ...manifest, reads: ["facts.shell"] });
  expect(findings.find(({ code }) => code === "trigger-fact")?.severity).toBe("medium");
  expect(findings.find(({ code }) => code === "trigger-size")?.severity).toBe("high");
  expect(findings.find(({ code }) => code === "read-hidden")).toBeUndefined();
});

it("reports a failing case of the hook before everything else", async () => {
  const event = { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm -rf /" } };
  const { findings, sheet } = await reportOf(deletion, manifest, [
    { name: "stops", event, expect: { verdict: "deny" } },
    { name: "asks", event, expect: { verdict: "ask" } },
  ]);
  expect(findings[0]).toMatchObject({ code: "case-fails", severity: "medium" });
  expect(findings[0]?.evidence.map(({ label }) => label)).toEqual(["case “asks”"]);
  expect(sheet.suggestion).not.toBe("approve");
});

it("lists packages with their install scripts and origin", async () => {
  await using pack = await packOf(
    "guard",
    `import { hit } from "tiny-match";\n${denies("hit(event.tool_input.command)")}`,
    manifest,
    {
      "package.json": JSON.stringify({
        name: "tiny-match",
        version: "1.0.0",
        license: "MIT",
        main: "index.js",
        type: "module",
        scripts: { postinstall: "node setup.js" },
      }),
      "index.js": "export const hit = (text) => /rm -rf/.test(text);\n",
    },
  );
  await writeFile(
    join(pack.path, "package-lock.json"),
    JSON.stringify({
      packages: {
        "node_modules/tiny-match": {
          version: "1.0.0",
          resolved: "git+ssh://git@code.example/tiny-match.git",
        },
      },
    }),
  );
  const { dependencies, findings, notDone } = await review({
    subject: await readSubject(pack.path),
    events: [],
    sandbox,
    other: null,
  });
  expect(dependencies).toMatchObject([
    {
      name: "tiny-match",
      licence: "MIT",
      locked: true,
      integrity: false,
      installScripts: ["postinstall"],
      published: null,
      changed: null,
    },
  ]);
  expect(findings.find(({ code }) => code === "dependency-risk")?.hook).toBeNull();
  expect(notDone.join(" ")).toMatch(/not compared with the published package.*the age is unknown/s);
});
