import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folder } from "../../../test/cli/cli.ts";

const program = fileURLToPath(new URL("../src/create.ts", import.meta.url));

test("creates what `hookwarden init --project` does", async () => {
  await using dir = await folder();
  const create = (...args: readonly string[]) =>
    spawnSync(process.execPath, [program, ...args], { cwd: dir.path, encoding: "utf8" });
  const made = create("mine", "--lang", "js");
  expect([made.status, made.stderr]).toEqual([0, ""]);
  expect(made.stdout).toContain("  cd mine\n  npm install\n  npx hookwarden check .\n");
  const files = readdirSync(`${dir.path}/mine`, { recursive: true, encoding: "utf8" }).toSorted();
  for (const path of [".github/workflows/policies.yml", ".gitignore", "first-hook/hook.js", "package.json"])
    expect(files).toContain(path);
  const { name } = JSON.parse(readFileSync(`${dir.path}/mine/package.json`, "utf8")) as { name: string };
  expect(name).toBe("mine");
  expect(create("mine", "--hook", "BAD").stderr).toMatch(/^usage: `BAD` is not a valid hook name/);
});
