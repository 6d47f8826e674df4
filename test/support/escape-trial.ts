import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { EscapeJob } from "./escape-child.ts";
import { canaries, type EscapingPack, escapingPack } from "./escaping-imports.ts";
import { writeFiles } from "./write-files.ts";

export interface EscapeTrial {
  readonly packs: number;
  /** Packs whose answer depends on whether there is a file outside, with both answers. */
  readonly different: readonly { readonly form: string; readonly answers: readonly string[] }[];
  /** Packs whose answer has content of a file outside in it, or that ended the bundler. */
  readonly leaking: readonly string[];
  /** Paths outside that the kernel was asked for; `null` where there is no strace. */
  readonly touched: readonly string[] | null;
  readonly built: number;
}

const child = fileURLToPath(new URL("./escape-child.ts", import.meta.url));
const strace = ["/usr/bin/strace", "/usr/local/bin/strace"].find((path) => existsSync(path)) ?? null;

/**
 * Bundles so many packs of the grammar, each twice: once beside the files that it tries to import, once where they are
 * missing. All file names that the process, the bundler included, gives the kernel are traced where strace is installed.
 */
export async function escapeTrial(count: number, seed: number): Promise<EscapeTrial> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "hookwarden-escape-")));
  try {
    const sides = [join(base, "a"), join(base, "b")];
    for (const [index, side] of sides.entries()) await prepare(side, index === 0);
    const forms: string[] = [];
    const jobs: EscapeJob[] = [];
    for (let index = 0; index < count; index++) {
      for (const side of sides) {
        const pack = escapingPack(seed + index, {
          outside: join(side, "outside"),
          fromPack: "../../outside",
        });
        const job = jobOf(side, String(index));
        await writePack(job.pack, pack);
        jobs.push(job);
        forms[index] = pack.form;
      }
    }
    const idle = bundled(
      base,
      sides.map((side) => jobOf(side, "plain")),
    );
    const { answers, paths } = bundled(base, jobs);
    return {
      packs: count,
      ...judged(forms, answers, sides),
      touched: paths && idle.paths && outsideOf(paths, idle.paths, sides),
    };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function jobOf(side: string, name: string): EscapeJob {
  return { pack: join(side, "packs", name), modules: join(side, "modules"), own: join(side, "own") };
}

/** All that a pack has around it, with or without what it tries to reach. */
async function prepare(side: string, reachable: boolean): Promise<void> {
  const secret = 'export default "CANARY-CONTENT";\n';
  await writeFiles(side, {
    "packs/plain/h/hook.ts": "export default () => null;\n",
    "outside/other.js": secret,
    "own/hook/index.ts": "export const deny = 1;\n",
    "modules/dep/package.json": '{"name":"dep","exports":{".":"./index.js"}}',
    "modules/dep/index.js": "export default 1;\n",
  });
  if (!reachable) return;
  for (const name of canaries.outside)
    await writeFiles(side, { [`outside/${name}`]: name.endsWith(".js") ? secret : '"CANARY-CONTENT"' });
  await writeFiles(side, { [`own/${canaries.own}`]: secret, [`modules/${canaries.modules}`]: secret });
}

async function writePack(folder: string, { files, links }: EscapingPack): Promise<void> {
  await writeFiles(folder, files);
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(target, join(folder, path));
  }
}

function bundled(
  base: string,
  jobs: readonly EscapeJob[],
): { readonly answers: readonly string[]; readonly paths: ReadonlySet<string> | null } {
  const log = join(base, "trace");
  const run = [process.execPath, "--disable-warning=ExperimentalWarning", child];
  const [command, ...args] = strace
    ? [strace, "-f", "-qq", "-s", "4096", "-e", "trace=file", "-o", log, ...run]
    : run;
  const { stdout, status, stderr } = spawnSync(command as string, args, {
    input: JSON.stringify(jobs),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { PATH: "/usr/bin:/bin" },
    cwd: dirname(child),
  });
  if (status !== 0) throw new Error(`the bundler ended with ${status}: ${stderr}`);
  return { answers: stdout.trim().split("\n"), paths: strace ? pathsIn(readFileSync(log, "utf8")) : null };
}

/** The first path of each traced call, such as `123 openat(AT_FDCWD, "/etc/passwd", O_RDONLY) = 3`. */
function pathsIn(trace: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const line of trace.split("\n")) {
    const path = /^\d+\s+\w+\([^"]*"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
    if (path !== undefined) found.add(resolve(dirname(child), path));
  }
  return found;
}

/** What Node and Go ask the kernel about itself, now and then; and opened folders, from which packs are read. */
const ofRuntime = /^\/(?:proc\/(?:self|sys)|sys\/(?:devices\/system\/cpu|fs\/cgroup|kernel))\//;

/** What was asked for beside the packs, their packages, and what the process needs by itself. */
function outsideOf(
  paths: ReadonlySet<string>,
  idle: ReadonlySet<string>,
  sides: readonly string[],
): readonly string[] {
  const given = sides.flatMap((side) => [join(side, "packs"), join(side, "modules")]);
  return [...paths].filter((path) => {
    if (idle.has(path) || ofRuntime.test(path)) return false;
    return !given.some((folder) => path.startsWith(`${folder}/`) || `${folder}/`.startsWith(`${path}/`));
  });
}

function judged(
  forms: readonly string[],
  answers: readonly string[],
  sides: readonly string[],
): Pick<EscapeTrial, "different" | "leaking" | "built"> {
  const different: { form: string; answers: readonly string[] }[] = [];
  const leaking: string[] = [];
  for (const [index, form] of forms.entries()) {
    const pair = answers.slice(2 * index, 2 * index + 2);
    const [existing, missing] = pair.map((answer, side) => withoutSide(answer, sides[side] as string));
    if (existing !== missing) different.push({ form, answers: pair });
    if (pair.includes("null") || /CANARY-CONTENT|__glob/.test(pair.join())) leaking.push(form);
  }
  return { different, leaking, built: answers.filter((answer) => answer.includes('"ok":true')).length };
}

/** An answer that shows source text has the path in it that the pack itself had, perhaps letter by letter and cut off. */
function withoutSide(answer: string, side: string): string {
  const plain = answer.replaceAll(/\\\\u\{([0-9a-f]+)\}?/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
  return plain.replaceAll(side, "SIDE");
}
