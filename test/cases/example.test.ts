import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cli } from "../cli/cli.ts";

const example = fileURLToPath(new URL("../../examples/policy-repo/", import.meta.url));
let copy = "";

// Copied out, as its readers do: nothing of this repository is above it.
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "hookwarden-policy-repo-"));
  await cp(example, copy, { recursive: true });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

describe("the example repository, copied out", { timeout: 120_000 }, () => {
  test("is checked, and nothing is found", async () => {
    const ran = await cli(["check", "policies"], { cwd: copy });
    expect(ran).toMatchObject({ code: 0, err: "" });
  });

  test("passes its cases, and its cases run all lines", async () => {
    const args = ["test", "policies", "--coverage", "--threshold", "95", "--coverage-dir", "coverage"];
    const ran = await cli([...args, "--format", "json"], { cwd: copy });
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(ran.out)).toMatchObject({ failed: 0, coverage: { totals: { lines: 100 }, lost: 0 } });
  });

  test("fails where a policy is changed and its cases are not", async () => {
    const changed = join(copy, "changed");
    await cp(join(copy, "policies"), changed, { recursive: true });
    const file = join(changed, "limit-edits", "hook.ts");
    await writeFile(file, (await readFile(file, "utf8")).replace(">=", ">"));
    const ran = await cli(["test", "changed", "--engine", "quickjs"], { cwd: copy });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("asks at the limit");
  });
});
