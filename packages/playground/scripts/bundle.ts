import { readFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { standInForNode } from "./stand-ins.ts";
import { build, type Metafile, type OnLoadResult, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const require = createRequire(import.meta.url);
const enginePackage = "@jitl/quickjs-ng-wasmfile-release-sync";
const platform = `${root}packages/playground/src/platform`;

/** What stands in for the modules of Node that are used in a page. All others must not be. */
const standIns: ReadonlyMap<string, string> = new Map([
  ["node:crypto", "crypto.ts"],
  ["node:buffer", "buffer.ts"],
  ["node:timers/promises", "timers.ts"],
  ["node:zlib", "zlib.ts"],
  ["node:net", "net.ts"],
]);

/** Bundles a worker of the page: code that runs in Node as it stands, with stand-ins for what a browser lacks. */
export function bundleWorker(entry: string): Promise<string> {
  return bundle(entry, [browserPlatform()], [`${platform}/buffer.ts`]);
}

/** Bundles the worker that runs hooks: as others, with the engine's loader before it. */
export async function bundleEngine(entry: string): Promise<string> {
  return engineLoader() + (await bundleWorker(entry));
}

/** Bundles the code of the page itself. */
export function bundlePage(entry: string): Promise<string> {
  return bundle(entry, [browserPlatform()], []);
}

/** A package, or the helpers for hooks, as one CommonJS text. */
export async function bundlePackage(specifier: string): Promise<string> {
  const { outputFiles } = await build({
    ...(specifier === "hookwarden/hook"
      ? { entryPoints: [`${root}src/hook/index.ts`] }
      : { stdin: { contents: `export * from ${JSON.stringify(specifier)};`, resolveDir: root } }),
    bundle: true,
    write: false,
    format: "cjs",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    legalComments: "none",
    minifyWhitespace: true,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

async function bundle(entry: string, plugins: Plugin[], inject: string[]): Promise<string> {
  const { outputFiles, metafile } = await build({
    entryPoints: [`${root}${entry}`],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "iife",
    platform: "browser",
    conditions: ["hookwarden-source"],
    target: "es2022",
    minify: true,
    legalComments: "none",
    define: { "import.meta.url": '"about:blank"' },
    logLevel: "error",
    plugins,
    inject,
  });
  mustNotHoldNode(entry, metafile);
  return outputFiles[0]?.text ?? "";
}

/** A page has no Node: what of it is left after unused code went away would fail only when somebody gets there. */
function mustNotHoldNode(entry: string, { outputs }: Metafile): void {
  const held = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(
      ([path, { bytesInOutput }]) => path.startsWith("node-only:") && bytesInOutput > 0,
    ),
  );
  if (held.length > 0) {
    throw new Error(`${entry} takes modules of Node into the page: ${held.map(([path]) => path).join(", ")}`);
  }
}

/** What of the engine the page carries. */
const engineModules: ReadonlyMap<string, () => OnLoadResult> = new Map<string, () => OnLoadResult>([
  [
    "hookwarden:engine",
    () => ({
      contents: gzipSync(readFileSync(require.resolve(`${enginePackage}/wasm`)), { level: 9 }),
      loader: "binary",
    }),
  ],
  [
    "hookwarden:engine-version",
    () => ({
      contents: JSON.stringify((require(`${enginePackage}/package.json`) as { version: string }).version),
      loader: "json",
    }),
  ],
  [`${enginePackage}/emscripten-module`, () => ({ contents: `export default globalThis.${loaderName};` })],
]);

const loaderName = "hookwardenEngineLoader";

/**
 * The engine's loader, as its package has it for browsers and letter by letter: the sandbox knows its functions by their
 * text, which a bundler would change.
 */
function engineLoader(): string {
  const file = `${dirname(require.resolve(`${enginePackage}/wasm`))}/emscripten-module.browser.mjs`;
  const text = readFileSync(file, "utf8").replaceAll("import.meta.url", '"about:blank"');
  const end = /export default (\w+);\s*$/;
  if (!end.test(text)) throw new Error("the engine's loader does not end as expected");
  return text.replace(end, `globalThis.${loaderName}=$1;\n`);
}

function browserPlatform(): Plugin {
  return {
    name: "browser-platform",
    setup(setup) {
      setup.onResolve({ filter: /.*/ }, ({ path, importer }) => {
        if (path === "hookwarden:engine" || path === "hookwarden:engine-version") {
          return { path, namespace: "engine" };
        }
        if (path === "./binary.ts" && importer.endsWith("/sandbox/src/quickjs/module.ts")) {
          return { path: `${platform}/engine-binary.ts` };
        }
        if (path === `${enginePackage}/emscripten-module`) return { path, namespace: "engine" };
        // The package with this name, not the module of Node.
        if (path === "buffer/") return { path: require.resolve("buffer/") };
        if (!isBuiltin(path)) return null;
        const standIn = standIns.get(path);
        return standIn
          ? { path, namespace: "stand-in", sideEffects: false }
          : { path, namespace: "node-only", sideEffects: false };
      });
      setup.onLoad({ filter: /.*/, namespace: "engine" }, ({ path }) => engineModules.get(path)?.());
      standInForNode(setup, new Map([...standIns].map(([name, file]) => [name, `${platform}/${file}`])));
      setup.onLoad({ filter: /.*/, namespace: "node-only" }, () => ({ contents: "module.exports = {};" }));
    },
  };
}
