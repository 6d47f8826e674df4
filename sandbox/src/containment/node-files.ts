import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { existsSync, readFileSync, realpathSync } from "node:fs";

let found: Promise<readonly string[]> | undefined;

/**
 * The binary of Node.js and the shared libraries that its loader maps, under the names by which the loader looks for
 * them. Queries the loader once per process. Rejects if the loader cannot list them, as in musl.
 */
export function nodeFiles(): Promise<readonly string[]> {
  return (found ??= sharedLibraries().then((libraries) => [process.execPath, ...libraries]));
}

function sharedLibraries(): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    // What `ldd` does: the loader prints what it would map, and does not run the program.
    const env = { LD_TRACE_LOADED_OBJECTS: "1" };
    const child = execFile(process.execPath, ["--version"], { env, timeout: 5_000 }, (error, stdout) => {
      const paths = [...stdout.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(0x/gm)].map((match) => match[1] as string);
      if (error || paths.length === 0) reject(new Error("the shared libraries of Node.js are not known"));
      else resolve(paths);
    });
    child.stdin?.end();
  });
}

/**
 * What a program is made of: the code of the package that it belongs to, and the packages of these names with all that
 * they depend on.
 */
export function codeFiles(program: string, packages: readonly string[]): readonly string[] {
  const root = packageRoot(dirname(program));
  const code = join(root, program.endsWith(".ts") ? "src" : "dist");
  const folders = new Set<string>();
  for (const name of packages) collectPackage(name, root, folders);
  return [code, join(root, "package.json"), ...folders].flatMap(withRealPath);
}

function packageRoot(folder: string): string {
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, "package.json")) ? folder : packageRoot(parent);
}

/** A path, and where it leads: what runs looks for either. */
export function withRealPath(path: string): readonly string[] {
  try {
    const real = realpathSync(path);
    return real === path.replace(/\/$/, "") ? [path] : [path, path.endsWith(sep) ? real + sep : real];
  } catch {
    return [path];
  }
}

interface PackageJson {
  readonly dependencies?: { readonly [name: string]: string };
  readonly optionalDependencies?: { readonly [name: string]: string };
}

/** Adds the folder of a package, looked up from another one, and those of its dependencies. */
function collectPackage(name: string, from: string, folders: Set<string>): void {
  const paths = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, "package.json")));
  // An optional package for another platform, or a peer dependency.
  if (folder === undefined || folders.has(folder)) return;
  folders.add(folder);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  ) as PackageJson;
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies }))
    collectPackage(other, realFolder(folder), folders);
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
