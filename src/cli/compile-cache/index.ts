import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  type CompileAnswer,
  type CompileJob,
  type CompileResult,
  setCompileCache,
} from "../../compile/index.ts";
import { version } from "../version.ts";
import { type FolderContent, folderContent } from "./folder-content.ts";
import { type CacheFolders, cacheFolders } from "./private-folder.ts";

/** Most entries that are kept; the least recently used are evicted. */
const maxEntries = 64;
/** Length of a code that authenticates an entry, in hexadecimal digits. */
const codeLength = 64;

/**
 * Keeps compiled packs for the next process of this user, by digest of all that they depend on: the files of the pack and
 * of the npm packages that it uses, and the versions of the tools.
 */
export function useCompileCache(): void {
  const folders = cacheFolders();
  if (folders === null) return;
  setCompileCache(async (child, job, compile) => {
    if (typeof job.pack !== "string") return compile();
    const { pack } = job;
    const content = attempt(() => packContent(pack));
    if (content === null) return compile();
    const key = keyOf(child, job, content);
    const kept = attempt(() => load(folders, key));
    if (kept !== null) return { answers: kept, problem: null };
    const result = await compile();
    const packages = packagesOf(result, job, content);
    // The pack may have changed while it was compiled.
    if (packages !== null && attempt(() => packContent(pack))?.digest === content.digest) {
      attempt(() => store(folders, key, { packages, answers: result.answers }));
    }
    return result;
  });
}

/** The files of a pack itself. */
function packContent(root: string): FolderContent | null {
  return folderContent(root, (name) => name === "node_modules" || name.startsWith("."));
}

/** A cache that does not work is no reason to fail. */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

function keyOf(
  child: string,
  { pack, entries, maps, nodeModules }: CompileJob,
  content: FolderContent,
): string {
  const folder = dirname(child);
  const tools = [
    version(),
    process.version,
    esbuildVersion(),
    stampOf(folder),
    stampOf(join(folder, "../hook")),
  ];
  // A package in the pack's own folder comes before one of the same name above it.
  const own = attempt(() => readdirSync(join(String(pack), "node_modules"))) ?? [];
  const parts = [content.digest, own, entries, maps, nodeModules, tools];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function esbuildVersion(): string {
  return (createRequire(import.meta.url)("esbuild/package.json") as { readonly version: string }).version;
}

/** Sizes and times of our own programs: they differ after an update that keeps the version, as in development. */
function stampOf(folder: string): readonly string[] {
  const stamps = attempt(() =>
    readdirSync(folder).map((name) => {
      const { size, mtimeMs } = statSync(join(folder, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
  return stamps?.sort() ?? [];
}

/** A package that went into a program: its folder, and the digest of everything in it. */
type PackageDigest = readonly [folder: string, digest: string];

/** What is kept of a job. */
interface CacheEntry {
  readonly packages: readonly PackageDigest[];
  readonly answers: readonly CompileAnswer[];
}

/** The packages that went into programs; `null` where the programs cannot be kept. */
function packagesOf(
  { answers, problem }: CompileResult,
  { pack, entries, nodeModules }: CompileJob,
  { paths }: FolderContent,
): readonly PackageDigest[] | null {
  if (problem !== null || answers.length !== entries.length) return null;
  const folders = new Set<string>();
  for (const answer of answers) {
    // esbuild calls this for a `require` that it could not resolve, and may once a package is installed.
    if (!answer.ok || /\b__require\b/.test(answer.source)) return null;
    for (const { path } of answer.modules) {
      const [, mount = "", rest = ""] = /^(pack:node_modules|modules:\d+)\/(.+)$/.exec(path) ?? [];
      if (mount !== "") folders.add(join(mountOf(mount, String(pack), nodeModules), packageName(rest)));
      else if (!path.startsWith("hookwarden:") && !paths.has(path.replace(/^pack:/, ""))) return null;
    }
  }
  const digests = [...folders].map((folder) => [folder, attempt(() => packageDigest(folder))] as const);
  return digests.some(([, digest]) => digest === null) ? null : (digests as readonly PackageDigest[]);
}

function mountOf(mount: string, pack: string, nodeModules: readonly string[]): string {
  const [, index] = mount.split(":");
  return index === "node_modules" ? join(pack, index) : (nodeModules[Number(index)] ?? "");
}

function packageName(path: string): string {
  return path.split("/", path.startsWith("@") ? 2 : 1).join("/");
}

/** @throws where the package cannot be read as a whole. */
function packageDigest(folder: string): string {
  const content = folderContent(folder, () => false);
  if (content === null) throw new Error(`${folder} is too large to be cached`);
  return content.digest;
}

function codeOf({ key: secret }: CacheFolders, key: string, body: string): Buffer {
  return createHmac("sha256", secret).update(`${key}\n`).update(body).digest();
}

function load(folders: CacheFolders, key: string): readonly CompileAnswer[] | null {
  const file = join(folders.entries, key);
  const text = readFileSync(file, "utf8");
  const body = text.slice(codeLength + 1);
  const code = Buffer.from(text.slice(0, codeLength), "hex");
  const expected = codeOf(folders, key, body);
  if (code.length !== expected.length || !timingSafeEqual(code, expected)) {
    rmSync(file, { force: true });
    return null;
  }
  const { packages, answers } = JSON.parse(body) as CacheEntry;
  if (packages.some(([folder, digest]) => packageDigest(folder) !== digest)) return null;
  const now = new Date();
  utimesSync(file, now, now);
  return answers;
}

function store(folders: CacheFolders, key: string, entry: CacheEntry): void {
  const body = JSON.stringify(entry);
  const file = join(folders.entries, key);
  const temporary = `${file}.${randomBytes(6).toString("hex")}`;
  writeFileSync(temporary, `${codeOf(folders, key, body).toString("hex")}\n${body}`, {
    flag: "wx",
    mode: 0o600,
  });
  renameSync(temporary, file);
  evict(folders.entries);
}

function evict(folder: string): void {
  const files = readdirSync(folder).map((name) => join(folder, name));
  if (files.length <= maxEntries) return;
  const byAge = files.map((file) => ({ file, time: statSync(file).mtimeMs })).sort((a, b) => b.time - a.time);
  for (const { file } of byAge.slice(maxEntries)) rmSync(file, { force: true });
}
