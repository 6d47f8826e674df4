/** The GitHub Action: `check`, `test`, and for a pull request `diff` against its base. Its inputs are in `action.yml`. */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { comment } from "./comment.ts";
import { report, type Result } from "./report.ts";

const { env } = process;
const pack = env["HOOKWARDEN_PACK"] || ".";
const events = env["HOOKWARDEN_EVENTS"] || "events.jsonl";
const baseRef = env["GITHUB_BASE_REF"];
const base = env["HOOKWARDEN_BASE"] || (baseRef ? `origin/${baseRef}` : "");

/** Runs hookwarden as the repository has installed it. The token is for the comment only. */
function run(title: string, ...args: readonly string[]): Result {
  const { HOOKWARDEN_GITHUB_TOKEN: _, ...others } = env;
  const { status, stdout, stderr, error } = spawnSync("npx", ["--no-install", "hookwarden", ...args], {
    env: others,
    encoding: "utf8",
    maxBuffer: 64_000_000,
  });
  const output = error ? error.message : stdout + stderr;
  console.log(`::group::${title}\n${output.replaceAll(/^::/gm, " ::")}\n::endgroup::`);
  return { title, command: `hookwarden ${args.join(" ")}`, passed: status === 0, output };
}

/** Below the repository, where packages that hooks import are found. */
function compare(): Result {
  const folder = mkdtempSync(join(process.cwd(), "base-"));
  try {
    const { status, stderr } = spawnSync(
      "git",
      ["worktree", "add", "--force", "--detach", folder, "--", base],
      {
        encoding: "utf8",
      },
    );
    const title = `What the change opens, compared with \`${base}\``;
    if (status !== 0) return { title, command: "git worktree add", passed: false, output: stderr };
    if (!existsSync(join(folder, pack, "hookwarden.json")))
      return { title, command: "hookwarden diff", passed: true, output: "the base has no pack" };
    return run(title, "diff", join(folder, pack), pack, "--events", events);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    spawnSync("git", ["worktree", "prune"]);
  }
}

const results = [run("Manifests, types and code", "check", pack, "--strict"), run("Cases", "test", pack)];
if (base !== "" && existsSync(events)) results.push(compare());
const text = report(results);
if (env["GITHUB_STEP_SUMMARY"]) appendFileSync(env["GITHUB_STEP_SUMMARY"], text);
const {
  HOOKWARDEN_PULL_REQUEST: number,
  HOOKWARDEN_GITHUB_TOKEN: token,
  GITHUB_REPOSITORY: repository,
} = env;
if (env["HOOKWARDEN_COMMENT"] === "true" && number && token && repository) {
  await comment(text, { repository, number, token, api: env["GITHUB_API_URL"] }).catch((error: unknown) => {
    // A pull request from a fork has a token that may only read; the summary of the job has the same text.
    console.log(`::warning::no comment was written: ${(error as Error).message}`);
  });
}
if (results.some(({ passed }) => !passed)) process.exitCode = 1;
