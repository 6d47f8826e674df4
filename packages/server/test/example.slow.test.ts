import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const execute = promisify(execFile);

test("the example of a server runs: each tenant's pack decides for it alone, and each has its own audit", async () => {
  const args = ["--conditions=hookwarden-source", "examples/server.ts"];
  const { stdout, stderr } = await execute(process.execPath, args, { cwd: root, timeout: 60_000 });
  expect(stderr).toBe("");
  const decisions = 2;
  // Each log begins with a record of the run, and has one of the pack before the first of its decisions.
  const records = decisions + 2;
  expect(stdout.trim().split("\n")).toEqual([
    "acme: rm -rf build -> deny: `rm` is not used here",
    "acme: curl https://example.com -> continue",
    `acme: ${records} records in the audit`,
    "globex: rm -rf build -> continue",
    "globex: curl https://example.com -> deny: `curl` is not used here",
    `globex: ${records} records in the audit`,
  ]);
}, 90_000);
