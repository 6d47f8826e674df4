/**
 * Writes everything that is derived from the tables: schemas, validators, types, helpers, documentation.
 *
 *     node scripts/generate.ts            write what has changed
 *     node scripts/generate.ts --check    write nothing; exit 1 and name the files that are stale
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { format, type Options } from "prettier";
import { artefacts, ownedFolders, readmePath, verbatim, withNumbers } from "./generate/artefacts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const style = JSON.parse(await readFile(`${root}.prettierrc.json`, "utf8")) as Options;
const parsers: ReadonlyMap<string, string> = new Map([
  ["ts", "typescript"],
  ["md", "markdown"],
  ["json", "json"],
]);

const check = process.argv[2] === "--check";
if (process.argv.length > (check ? 3 : 2)) {
  console.error("usage: node scripts/generate.ts [--check]");
  process.exit(64);
}

const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
};

async function read(path: string): Promise<string | null> {
  try {
    return await readFile(root + path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

async function formatted(path: string, text: string): Promise<string> {
  const named = path.endsWith("/package.json") ? "json-stringify" : undefined;
  const parser = verbatim.has(path)
    ? undefined
    : (named ?? parsers.get(path.slice(path.lastIndexOf(".") + 1)));
  return parser ? format(text, { ...style, parser }) : text;
}

/** Files that a removed event or action has left behind. */
async function orphans(wanted: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  for (const folder of ownedFolders) {
    const entries = await readdir(root + folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${entry.parentPath}/${entry.name}`.slice(root.length).replaceAll("\\", "/");
      if (entry.isFile() && !wanted.has(path)) found.push(path);
    }
  }
  return found;
}

progress("compiling validators");
const made = new Map<string, string>();
const drafts = [...(await artefacts())];
for (const [index, [path, text]] of drafts.entries()) {
  progress(`formatting ${index + 1}/${drafts.length} ${path}`);
  made.set(path, await formatted(path, text));
}
const readme = await read(readmePath);
if (readme !== null) made.set(readmePath, await withNumbers(readme, (text) => formatted(readmePath, text)));

const stale: string[] = [];
for (const [path, text] of made) if ((await read(path)) !== text) stale.push(path);
const left = await orphans(new Set(made.keys()));
progress("");

if (check) {
  for (const path of stale) console.error(`stale: ${path}`);
  for (const path of left) console.error(`left over: ${path}`);
  const bad = stale.length + left.length;
  console.error(
    bad > 0
      ? `${bad} of ${made.size} generated files are stale; run \`npm run generate\``
      : `${made.size} generated files are fresh`,
  );
  process.exit(bad > 0 ? 1 : 0);
}
for (const path of stale) {
  await mkdir(dirname(root + path), { recursive: true });
  await writeFile(root + path, made.get(path)!);
}
for (const path of left) await rm(root + path);
console.error(`generated ${made.size} files: ${stale.length} changed, ${left.length} removed`);
