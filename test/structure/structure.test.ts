import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { modules, ways } from "../../scripts/generate/architecture.ts";
import {
  cycles,
  type Import,
  importsOf,
  moduleGraph,
  moduleOf,
  packageOf,
  packages,
  readManifest,
  sourcesOf,
} from "../../scripts/structure.ts";
import * as library from "../../src/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const files = packages.flatMap(sourcesOf);
const imports = files.flatMap(importsOf);
const shown = ({ from, specifier }: Import): string => `${from} imports ${specifier}`;

test("every module has its paragraph in ARCHITECTURE.md, and every file of an event's way exists", () => {
  expect([...new Set(files.map(moduleOf))].sort()).toEqual(Object.keys(modules).sort());
  expect(
    Object.values(ways)
      .flat()
      .filter((file) => !existsSync(root + file)),
  ).toEqual([]);
});

test("a package is entered through its exports: no relative import leaves one", () => {
  const deep = imports.filter(({ from, specifier, to }) => {
    if (to === null) return /^(@hookwarden\/|hookwarden($|\/))/.test(specifier);
    return specifier.startsWith(".") && packageOf(to) !== packageOf(from);
  });
  expect(deep.map(shown)).toEqual([]);
});

test("a module of the core is entered through its index", () => {
  const deep = imports.filter(({ from, to }) => {
    if (to === null || !to.startsWith("src/") || !from.startsWith("src/")) return false;
    return (
      moduleOf(from) !== moduleOf(to) && to !== `src/${moduleOf(to)}/index.ts` && to !== "src/errors/index.ts"
    );
  });
  expect(deep.map(shown)).toEqual([]);
});

test("there are no cycles, type imports included: neither of files nor of modules", () => {
  const graph = new Map(
    files.map((file) => [file, importsOf(file).flatMap(({ to }) => (to === null ? [] : [to]))] as const),
  );
  expect(cycles(graph)).toEqual([]);
  expect(cycles(moduleGraph())).toEqual([]);
});

test("the core imports no package that is built on it, and the sandbox none of ours", () => {
  const graph = moduleGraph();
  const core = Object.keys(modules).filter((name) => !name.includes("/"));
  const upwards = core.flatMap((name) => [...graph.get(name)!].filter((one) => one.startsWith("packages/")));
  expect(upwards).toEqual([]);
  expect([...graph.get("sandbox")!]).toEqual([]);
});

/** Files that are longer, and why: the world of guests is one script, and the others are tables. */
const longFiles: ReadonlySet<string> = new Set([
  "sandbox/src/guest/prelude.js",
  "src/facts/code/languages.ts",
  "src/facts/commands/table.ts",
  "src/facts/hosts/programs.ts",
  "src/facts/paths/programs.ts",
  "packages/review/src/codes.ts",
  "packages/review/src/inputs/corpus/commands.ts",
]);

test("no file is longer than 300 lines, but tables and the world of guests", () => {
  const written = files.filter((file) => !file.includes("/generated/"));
  const long = written.filter((file) => readFileSync(root + file, "utf8").split("\n").length > 301);
  expect(long.sort()).toEqual([...longFiles].sort());
});

test("the way of one event is short: through the library, and before it in the server", () => {
  expect(ways["From the library"]?.length).toBeLessThanOrEqual(25);
  expect(ways["From the server, before the library"]?.length).toBeLessThanOrEqual(12);
});

test("policies import the types and helpers of hooks, and nothing else of ours", () => {
  const scripts = readdirSync(`${root}policies`, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/^(test|scripts|node_modules)\//.test(file),
  );
  const out = scripts.flatMap((file) => importsOf(`policies/${file}`));
  const wrong = out.filter(({ specifier }) => /^hookwarden(?!\/hook$)|^@hookwarden/.test(specifier));
  expect(wrong.map(shown)).toEqual([]);
});

test("a package imports what its manifest declares", () => {
  const wrong = imports.filter(({ from, specifier, to }) => {
    if (specifier.startsWith(".") || specifier.startsWith("hookwarden:") || isOfNode(specifier)) return false;
    if (from.startsWith("packages/playground/src/")) return to !== null && !declares(from, specifier);
    // The types of what the program is given: it imports nothing of it when it runs.
    if (specifier === "commander" && from.includes("/src/commands/")) return false;
    return !declares(from, specifier);
  });
  expect(wrong.map(shown).filter((line) => !typesOnly.has(line))).toEqual([]);
});

/** Types that are written out in the package's own types when it is built. */
const typesOnly: ReadonlySet<string> = new Set(
  imports.filter(({ from }) => from.startsWith("packages/client/")).map(shown),
);

function declares(from: string, specifier: string): boolean {
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  return packageOf(from).declared.has(name);
}

function isOfNode(specifier: string): boolean {
  return specifier.startsWith("node:") || builtinModules.includes(specifier);
}

test("the core stays small: its lines, its dependencies, its names", () => {
  const core = files.filter(
    (file) =>
      file.startsWith("src/") &&
      !/^src\/(cli|check|facts)\//.test(file) &&
      !/\/generated\/|^src\/hook\//.test(file),
  );
  const lines = core.map((file) => readFileSync(root + file, "utf8").split("\n").length - 1);
  expect(lines.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(15_000);
  const used = new Set(
    imports
      .filter(({ from }) => from.startsWith("src/") && !from.startsWith("src/cli/"))
      .flatMap(({ specifier }) =>
        Object.keys(readManifest("").dependencies ?? {}).filter(
          (name) => specifier === name || specifier.startsWith(`${name}/`),
        ),
      ),
  );
  expect(used.size).toBeLessThanOrEqual(16);
  const index = readFileSync(`${root}src/index.ts`, "utf8");
  const names = [...index.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").filter((name) => name.trim() !== ""),
  );
  expect(index).not.toMatch(/export (type )?\*/);
  expect(names.length).toBeLessThanOrEqual(80);
  expect(Object.keys(library).length).toBeGreaterThan(20);
});
