import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { PluginBuild } from "esbuild";

const require = createRequire(import.meta.url);

/**
 * Resolves modules of Node to what stands in for them in a page. What a stand-in lacks may be imported, because entry
 * points export more than a page uses, but it comes from the namespace `node-only`, of which nothing may be left.
 *
 * @param files stand-ins by the name of the module, as absolute paths.
 */
export function standInForNode(setup: PluginBuild, files: ReadonlyMap<string, string>): void {
  setup.onLoad({ filter: /.*/, namespace: "stand-in" }, ({ path }) => {
    const file = files.get(path)!;
    const absent = absentFrom(path, file);
    const rest = absent.length > 0 ? `export { ${absent.join(", ")} } from "absent:${path}";` : "";
    return { contents: `export * from ${JSON.stringify(file)};\n${rest}`, resolveDir: "/" };
  });
  setup.onResolve({ filter: /^absent:/ }, ({ path }) => ({
    path,
    namespace: "node-only",
    sideEffects: false,
  }));
  setup.onLoad({ filter: /^absent:/, namespace: "node-only" }, ({ path }) => {
    const module = path.slice("absent:".length);
    const functions = absentFrom(module, files.get(module)!).map(
      (name) => `const of_${name} = () => { throw new Error("absent"); };\nexport { of_${name} as ${name} };`,
    );
    return { contents: functions.join("\n") };
  });
}

function absentFrom(module: string, file: string): string[] {
  const present = exportsIn(file);
  return Object.keys(require(module) as object).filter(
    (name) => /^[a-z]\w*$/i.test(name) && name !== "default" && !present.has(name),
  );
}

function exportsIn(file: string): ReadonlySet<string> {
  const text = readFileSync(file, "utf8");
  const declared = [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)];
  const listed = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  return new Set([...declared.map(([, name]) => name!), ...listed.map((name) => name.trim())]);
}
