/** The packages as they are published: built from a copy of the tracked files, and kept until one of them changes. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const cache = join(root, "node_modules/.cache/hookwarden-packages");
const folders = [
  ".",
  "sandbox",
  "policies",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}`),
];

/** What changes nothing in how the packages behave. */
const neverPacked = /(?:^|\/)test\/|\.md$|^(?:\.|docs\/|scripts\/|site\/|deploy\/)/;

/** For programs that are started as a user would: this Node.js first, no conditions of the sources. */
export const userEnv: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_OPTIONS: "",
  PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
};

/** Packs all packages. @returns paths of the tarballs, by the names of the packages. */
export function packedPackages(): ReadonlyMap<string, string> {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 256_000_000 });
  const tracked = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    .split("\0")
    .filter(Boolean);
  const files = tracked.filter((path) => existsSync(join(root, path)));
  const digest = createHash("sha256");
  for (const path of files.filter((one) => !neverPacked.test(one)))
    digest.update(`${path}\0`).update(readFileSync(join(root, path)));
  const home = join(cache, digest.digest("hex").slice(0, 16));
  if (!existsSync(home)) {
    rmSync(cache, { recursive: true, force: true });
    const made = packCopy(files);
    mkdirSync(cache, { recursive: true });
    renameSync(made, home);
  }
  return new Map(
    Object.entries(JSON.parse(readFileSync(join(home, "index.json"), "utf8")) as Record<string, string>).map(
      ([name, file]) => [name, join(home, file)],
    ),
  );
}

/** In a copy, because other tests use what is built here. */
function packCopy(files: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), "hookwarden-packed-"));
  const out = mkdtempSync(join(root, "node_modules/.hookwarden-packages-"));
  try {
    for (const path of files) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(root, path), join(copy, path));
    }
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const npm = (folder: string, ...args: readonly string[]): string =>
      execFileSync("npm", args, {
        cwd: join(copy, folder),
        env: userEnv,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      });
    npm(".", "run", "-s", "build");
    const index: Record<string, string> = {};
    for (const folder of folders) {
      const packed = npm(folder, "pack", "--json", "--ignore-scripts", "--pack-destination", out);
      const [one] = JSON.parse(packed) as { name: string; filename: string }[];
      if (!one) throw new Error(`npm pack made nothing of ${folder}`);
      index[one.name] = one.filename;
    }
    writeFileSync(join(out, "index.json"), JSON.stringify(index));
    return out;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/**
 * Replaces our packages' names in an `npm install` command by their tarballs, as long as no registry has them, and adds
 * those that they depend on.
 */
export function withTarballs(command: string): string {
  if (!/^npm (install|i|create|exec) /.test(command)) return command;
  const tarballs = packedPackages();
  const words = command.split(" ");
  const ours = words.filter((word) => tarballs.has(word));
  if (ours.length === 0) return command;
  const needed = new Set(["hookwarden", "@hookwarden/sandbox", ...ours]);
  for (const name of [
    "@hookwarden/mcp",
    "@hookwarden/ai-sdk",
    "@hookwarden/langchain",
    "@hookwarden/openai-agents",
  ])
    if (needed.has(name)) needed.add("@hookwarden/mediator");
  if (needed.has("@hookwarden/review")) needed.add("@hookwarden/testing");
  const others = words.filter((word) => !tarballs.has(word));
  return [...others, "--no-audit", "--no-fund", ...[...needed].map((name) => tarballs.get(name)!)].join(" ");
}
