import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../", import.meta.url));

/** A package of this repository. */
export interface Package {
  readonly name: string;
  /** Its folder from the root; `""` for the root itself. */
  readonly folder: string;
  /** Its entry points: specifier → source file from the root. */
  readonly doors: ReadonlyMap<string, string>;
  /** Names of packages that its manifest lets it import. */
  readonly declared: ReadonlySet<string>;
}

/** One import, types included. */
export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The file of this repository that it means; `null` for a package from elsewhere or a module of Node. */
  readonly to: string | null;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: object;
  readonly peerDependencies?: object;
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
}

function packageIn(folder: string): Package {
  const { name, exports = {}, dependencies, peerDependencies } = readManifest(folder);
  const doors = Object.entries(exports).flatMap(([door, target]) =>
    typeof target === "string"
      ? []
      : [[name + door.slice(1), join(folder, target["hookwarden-source"] ?? "")] as const],
  );
  const declared = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), name]);
  return { name, folder, doors: new Map(doors), declared };
}

/** All packages with sources, the root first. */
export const packages: readonly Package[] = [
  "",
  "sandbox",
  ...readdirSync(join(root, "packages"))
    .sort()
    .map((name) => `packages/${name}`),
].map(packageIn);

const doors = new Map(packages.flatMap((one) => [...one.doors]));

/** Every source file of a package, by its path from the root. */
export function sourcesOf({ folder }: Package): string[] {
  return readdirSync(join(root, folder, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** What a file imports: `import`, `export … from`, `import()` and `import("…")` types. */
export function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
  return importedFiles.map(({ fileName }) => ({
    from: file,
    specifier: fileName,
    to: fileName.startsWith(".")
      ? relative(root, resolve(root, dirname(file), fileName))
      : (doors.get(fileName) ?? null),
  }));
}

/** The package that a file belongs to. */
export function packageOf(file: string): Package {
  const found = packages.find(({ folder }) => folder !== "" && file.startsWith(`${folder}/`));
  return found ?? packages[0]!;
}

/** The module that a file belongs to: a folder of `src`, `sandbox`, or a package. */
export function moduleOf(file: string): string {
  const { folder } = packageOf(file);
  if (folder !== "") return folder;
  const [, name = ""] = file.split("/");
  return file === `src/${name}` ? name.replace(/\.ts$/, "") : name;
}

/** Groups of nodes that reach each other (Tarjan's algorithm). */
export function cycles(graph: ReadonlyMap<string, Iterable<string>>): string[][] {
  const groups: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!));
    }
    if (low.get(node) === index.get(node)) groups.push(stack.splice(stack.indexOf(node)));
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return groups.filter((group) => group.length > 1);
}

/** The modules, and for each the modules that it imports, types included. */
export function moduleGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const file of packages.flatMap(sourcesOf)) {
    const from = moduleOf(file);
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const { to } of importsOf(file)) {
      if (to !== null && to.includes("/") && moduleOf(to) !== from) targets.add(moduleOf(to));
    }
  }
  return graph;
}
