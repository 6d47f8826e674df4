import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import ts from "typescript";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** One import: from which file, and what. Paths are relative to the root; packages are as they were written. */
export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Every source file of some folders, by its path from the root. */
export function sourceFiles(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|js)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
}

/** What a file imports, types included: `import`, `export … from`, `import()` and `import("…")` types. */
export function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
  return importedFiles.map(({ fileName }) => ({
    from: file,
    to: fileName.startsWith(".") ? relative(root, resolve(root, dirname(file), fileName)) : fileName,
  }));
}

/** Groups of files that import each other when they run; types and `import()` do not count. */
export async function cycles(files: readonly string[]): Promise<string[][]> {
  const { metafile } = await build({
    entryPoints: files.map((file) => join(root, file)),
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    packages: "external",
    format: "esm",
    platform: "node",
    outdir: "unused",
    logLevel: "silent",
    plugins: [
      {
        // Modules that only a bundler of the page provides.
        name: "virtual",
        setup: (setup) =>
          setup.onResolve({ filter: /^hookwarden:/ }, ({ path }) => ({ path, external: true })),
      },
    ],
  });
  const graph = new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      file,
      imports
        .filter(({ kind, external }) => kind === "import-statement" && !external)
        .map(({ path }) => path),
    ]),
  );
  return stronglyConnected(graph).filter((group) => group.length > 1);
}

/** Tarjan's algorithm. */
function stronglyConnected(graph: ReadonlyMap<string, readonly string[]>): string[][] {
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
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    groups.push(group);
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return groups;
}
