import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readJson = (path: string): unknown => JSON.parse(readFileSync(root + path, "utf8"));
const lock = readJson("package-lock.json") as {
  packages: Record<string, { version?: string; license?: string }>;
};
const page = readFileSync(`${root}docs/dependencies.md`, "utf8");
const folders = [
  "",
  "sandbox/",
  "policies/",
  ...readdirSync(`${root}packages`).map((name) => `packages/${name}/`),
];

test.each(folders)("docs/dependencies.md lists the runtime dependencies of %s./package.json", (folder) => {
  const manifest = readJson(`${folder}package.json`) as {
    name: string;
    dependencies?: Record<string, string>;
  };
  const needed = Object.keys(manifest.dependencies ?? {})
    .filter((name) => !/^(hookwarden$|@hookwarden\/)/.test(name))
    .map((name) => {
      const own = lock.packages[`${folder}node_modules/${name}`] ?? lock.packages[`node_modules/${name}`];
      return { name, licence: own?.license, release: own?.version };
    });
  const section = page.split(/^## /m).find((part) => part.startsWith(`${manifest.name}\n`)) ?? "";
  const listed = section
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| -"))
    .slice(1)
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, name = ""]) => !name.endsWith("(optional)"))
    .map(([, name, , , licence, release]) => ({ name, licence, release }));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }): number =>
    String(a.name).localeCompare(String(b.name));
  expect(listed.sort(byName)).toEqual(needed.sort(byName));
});
