import { execFileSync, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../../../test/cli/cli.ts";

export const example = fileURLToPath(new URL("../../../../examples/policy-repo/", import.meta.url));

/** The example as its readers have it: under version control, with nothing of this repository around it. */
export interface PolicyRepo {
  /** A folder with programs `hookwarden` and `npx`, as an installation would have put them there. */
  readonly bin: string;
  /** Makes a fresh clone, with what `npm install` would have made. */
  checkout(name: string): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function policyRepo(): Promise<PolicyRepo> {
  const root = await mkdtemp(join(tmpdir(), "hookwarden-policy-repo-"));
  const [origin, bin] = [join(root, "origin"), join(root, "bin")];
  await cp(example, origin, { recursive: true });
  git(origin, "init", "--quiet", "--initial-branch=main");
  git(origin, "add", ".");
  git(origin, "commit", "--quiet", "--message=First");
  await mkdir(bin);
  await program(
    join(bin, "hookwarden"),
    `exec ${JSON.stringify(process.execPath)} --conditions=hookwarden-source ${JSON.stringify(main)} "$@"`,
  );
  // Finds what is installed, and asks no registry.
  await program(join(bin, "npx"), 'exec "$@"');
  return {
    bin,
    checkout: async (name) => {
      const folder = join(root, name);
      execFileSync("git", ["clone", "--quiet", origin, folder], { stdio: "ignore" });
      return folder;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

async function program(path: string, line: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${line}\n`);
  await chmod(path, 0o755);
}

/** Runs git with a name to commit under, and no settings of the user who runs the tests. */
export function git(folder: string, ...args: readonly string[]): void {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore", env: environment() });
}

function environment(more: { readonly [name: string]: string } = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"] ?? "",
    NODE_OPTIONS: process.env["NODE_OPTIONS"] ?? "",
    HOME: tmpdir(),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
    NODE_COMPILE_CACHE: join(tmpdir(), "hookwarden-test-cache"),
    ...more,
  };
}

export interface ShellResult {
  readonly code: number | null;
  /** Standard output and standard error, as they came. */
  readonly text: string;
}

/** Runs a line of shell as the step of a workflow does: it ends at the first command that fails. */
export function shell(
  { bin }: PolicyRepo,
  folder: string,
  line: string,
  more: { readonly [name: string]: string } = {},
): Promise<ShellResult> {
  return new Promise((done, failed) => {
    const env = environment(more);
    env["PATH"] = `${bin}:${env["PATH"]}`;
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", line], { cwd: folder, env });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (part: string) => (text += part));
    }
    child.on("close", (code) => done({ code, text })).on("error", failed);
  });
}

/** A step of a workflow that runs something. */
export interface Step {
  readonly job: string;
  readonly run: string;
}

/** The steps of a workflow, in order. Reads as much of YAML as the example's workflow uses. */
export async function stepsOf(file: string): Promise<readonly Step[]> {
  const steps: Step[] = [];
  let job = "";
  const lines = (await readFile(file, "utf8")).split("\n");
  for (const [index, line] of lines.entries()) {
    job = /^ {2}([a-z]+):$/.exec(line)?.[1] ?? job;
    const [, indent = "", , run] = /^( *)(- )?run: (.*)$/.exec(line) ?? [];
    if (run === undefined) continue;
    if (run !== "|") {
      steps.push({ job, run });
      continue;
    }
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((next) => next.trim() !== "" && !next.startsWith(`${indent}  `));
    const block = end < 0 ? rest : rest.slice(0, end);
    steps.push({ job, run: block.map((text) => text.trim()).join("\n") });
  }
  return steps;
}
