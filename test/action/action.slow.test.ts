/** The GitHub Action and the pre-commit hooks, as a repository of policies uses them. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { marker, report } from "../../scripts/action/report.ts";
import { cliProcess, folder, main } from "../cli/cli.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A repository with a pack and hookwarden installed; `origin/main` is its first commit. */
async function repository() {
  const dir = await folder();
  await cliProcess(["init", ".", "--project"], { cwd: dir.path });
  mkdirSync(join(dir.path, "node_modules/.bin"), { recursive: true });
  const bin = join(dir.path, "node_modules/.bin/hookwarden");
  writeFileSync(bin, `#!/bin/sh\nexec "${process.execPath}" -C hookwarden-source "${main}" "$@"\n`);
  chmodSync(bin, 0o755);
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.invalid", ...args], {
      cwd: dir.path,
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "first");
  git("update-ref", "refs/remotes/origin/main", "main");
  return dir;
}

/** A stand-in for GitHub's API, which keeps the comments of one pull request. */
async function github() {
  const comments: { id: number; body: string; user: { type: string } }[] = [
    { id: 1, body: `${marker} quoted by a person`, user: { type: "User" } },
  ];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += String(data)));
    request.on("end", () => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const text = body === "" ? "" : (JSON.parse(body) as { body: string }).body;
      if (request.method === "POST")
        comments.push({ id: comments.length + 1, body: text, user: { type: "Bot" } });
      if (request.method === "PATCH")
        comments.find(({ id }) => request.url?.endsWith(`/comments/${id}`))!.body = text;
      response.setHeader("content-type", "application/json").end(JSON.stringify(comments));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { api, comments, requests, [Symbol.dispose]: () => void server.close() };
}

async function runAction(cwd: string, api: string) {
  const child = spawn(process.execPath, [join(root, "scripts/action/run.ts")], {
    cwd,
    env: {
      ...process.env,
      HOOKWARDEN_PACK: ".",
      HOOKWARDEN_EVENTS: "events.jsonl",
      HOOKWARDEN_COMMENT: "true",
      HOOKWARDEN_PULL_REQUEST: "7",
      HOOKWARDEN_GITHUB_TOKEN: "secret",
      GITHUB_BASE_REF: "main",
      GITHUB_REPOSITORY: "acme/policies",
      GITHUB_API_URL: api,
      GITHUB_STEP_SUMMARY: join(cwd, "node_modules/summary.md"),
    },
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => (out += String(data)));
  const status = await new Promise<number | null>((done) => child.on("close", done));
  return { status, out };
}

describe("the action", { timeout: 120_000 }, () => {
  it("reports in one comment what a change opens, and fails then", async () => {
    await using dir = await repository();
    using hub = await github();
    const first = await runAction(dir.path, hub.api);
    expect(first).toMatchObject({ status: 0 });
    expect(hub.comments.at(-1)?.body).toContain("### hookwarden: all checks passed");

    const script = join(dir.path, "first-hook/hook.ts");
    writeFileSync(script, readFileSync(script, "utf8").replace('"forbidden"', '"other"'));
    const second = await runAction(dir.path, hub.api);
    expect(second.status).toBe(1);
    expect(hub.comments.map(({ id }) => id)).toEqual([1, 2]);
    const body = hub.comments[1]?.body ?? "";
    expect(body).toContain("### hookwarden: 2 of 3 failed");
    expect(body).toContain("verdict: deny → continue");
    expect(hub.requests.every((one) => one.endsWith(" Bearer secret"))).toBe(true);
    expect(hub.requests.map((one) => one.split(" ").slice(0, 2).join(" "))).toEqual([
      "GET /repos/acme/policies/issues/7/comments?per_page=100",
      "POST /repos/acme/policies/issues/7/comments",
      "GET /repos/acme/policies/issues/7/comments?per_page=100",
      "PATCH /repos/acme/policies/issues/comments/2",
    ]);
    expect(readFileSync(join(dir.path, "node_modules/summary.md"), "utf8")).toContain(body);
    // Nothing is left behind that a later step could take for part of the repository.
    expect(execFileSync("git", ["status", "--short"], { cwd: dir.path, encoding: "utf8" })).toBe(
      " M first-hook/hook.ts\n",
    );
  });

  it("fails without a comment where GitHub refuses it", async () => {
    await using dir = await repository();
    const { status, out } = await runAction(dir.path, "http://127.0.0.1:1");
    expect(status).toBe(0);
    expect(out).toContain("::warning::no comment was written: ");
  });

  it("declares every input that its script reads", () => {
    const action = parse(readFileSync(join(root, "action.yml"), "utf8")) as {
      inputs: Record<string, unknown>;
      runs: { steps: { env: Record<string, string>; run: string }[] };
    };
    const [step] = action.runs.steps;
    const script = readFileSync(join(root, "scripts/action/run.ts"), "utf8");
    for (const name of Object.keys(step?.env ?? {})) expect(script).toContain(name);
    for (const name of Object.keys(action.inputs))
      expect(JSON.stringify(step?.env)).toContain(`inputs.${name} `);
  });
});

// Attack: a pull request makes its hook or its manifest print Markdown, to link or to mention in the bot's name.
it("output cannot leave its fence in the comment", () => {
  const output = "``` \n````\n@everyone [click](https://evil.example)\n";
  const text = report([{ title: "t", command: "c", passed: false, output }]);
  const fences = text.split("\n").filter((line) => /^`{5,}/.test(line));
  expect(fences).toEqual(["`````text", "`````"]);
});

it("the commands of the pre-commit hooks hold in a repository", { timeout: 60_000 }, async () => {
  await using dir = await repository();
  const hooks = parse(readFileSync(join(root, ".pre-commit-hooks.yaml"), "utf8")) as {
    entry: string;
    args: string[];
    files: string;
  }[];
  for (const { entry, args, files } of hooks) {
    const { status, stdout, stderr } = spawnSync("sh", ["-c", `${entry} ${args.join(" ")}`], {
      cwd: dir.path,
      encoding: "utf8",
    });
    expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
    for (const name of ["hookwarden.json", "a/hook.json", "a/cases.json", "a/hook.ts"])
      expect(new RegExp(files).test(name)).toBe(true);
  }
});
