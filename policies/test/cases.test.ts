import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  bundle,
  casesOf,
  configOf,
  failuresOf,
  hookFolders,
  hookNames,
  load,
  manifestOf,
} from "./harness.ts";

const page = readFileSync(new URL("../../docs/policies.md", import.meta.url), "utf8");

test("every folder is a hook of the pack, and every hook a folder", () => {
  expect([...hookNames()].sort()).toEqual([...hookFolders()].sort());
  expect(hookNames().length).toBeGreaterThanOrEqual(12);
});

describe.each(hookNames())("%s", (hook) => {
  const manifest = manifestOf(hook);
  const cases = casesOf(hook);

  test("has the name of its folder and a section in the docs", () => {
    expect(manifest.name).toBe(hook);
    expect(page).toContain(`\n## ${hook}\n`);
    expect(page).toContain(`| [\`${hook}\`](#${hook})`);
  });

  test("has at least eight cases, with names of their own", () => {
    expect(cases.length).toBeGreaterThanOrEqual(8);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  });

  test("does what its manifest says, in its cases", () => {
    const wanted = cases.flatMap(({ expect: expected }) => expected).filter((one) => one !== null);
    const text = JSON.stringify(wanted);
    const verdicts = ["deny", "ask", "block", "retry"];
    const returned = verdicts.filter((verdict) => text.includes(`"verdict":"${verdict}"`));
    expect(returned).toEqual(verdicts.filter((verdict) => manifest.actions.includes(verdict)));
    expect(wanted.some(({ verdict }) => verdict === "continue")).toBe(true);
  });
});

// On both engines and with coverage: cases.slow.test.ts.
test.each(hookNames())("the cases of %s pass", async (hook) => {
  const call = load(await bundle(hook));
  expect(failuresOf(call, manifestOf(hook), casesOf(hook), configOf(hook))).toEqual([]);
});
