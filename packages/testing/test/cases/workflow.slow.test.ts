import { execFileSync } from "node:child_process";
import { createReadStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verifyLog } from "hookwarden/log";
import { cliProcess } from "../../../../test/cli/cli.ts";
import { example, git, policyRepo, type PolicyRepo, shell, stepsOf } from "./policy-repo.ts";

let repo: PolicyRepo;
beforeAll(async () => {
  repo = await policyRepo();
});
afterAll(() => repo[Symbol.asyncDispose]());

/** What a test cannot do without a network; all else is run as it stands. */
const installs = "npm install";
const steps = await stepsOf(join(example, ".github/workflows/policies.yml"));

async function runJob(job: string, folder: string, env: { readonly [name: string]: string } = {}) {
  const ran: string[] = [];
  for (const step of steps) {
    if (step.job !== job || step.run === installs) continue;
    const { code, text } = await shell(repo, folder, step.run, env);
    ran.push(step.run);
    if (code !== 0) return { ran, code, text };
  }
  return { ran, code: 0, text: "" };
}

async function edit(folder: string, file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

const hook = "policies/deny-force-push/hook.ts";

describe("the workflow of the example repository", { timeout: 240_000 }, () => {
  it("has a job for every change, one for pull requests and one for releases", () => {
    expect([...new Set(steps.map(({ job }) => job))]).toEqual(["hold", "change", "release"]);
    expect(steps.filter(({ run }) => run === installs)).toHaveLength(3);
  });

  it("holds the example itself: checks, cases, coverage, decisions, replay", async () => {
    const folder = await repo.checkout("hold");
    expect(await runJob("hold", folder)).toMatchObject({ code: 0, ran: { length: 4 } });
    expect(await readFile(join(folder, "cases.xml"), "utf8")).toContain("<testsuite");
    expect(await readFile(join(folder, "coverage/lcov.info"), "utf8")).toContain("SF:");
    const log = createReadStream(join(folder, "decisions.jsonl"));
    expect((await verifyLog(log)).problem).toBeNull();
  });

  it("stops a change whose cases fail", async () => {
    const folder = await repo.checkout("broken");
    await edit(folder, hook, "branch !== undefined", "branch === undefined");
    const { code, ran } = await runJob("hold", folder);
    expect(code).not.toBe(0);
    expect(ran.at(-1)).toContain("hookwarden test");
  });

  it("lets a change pass that opens nothing, and stops one that opens what was not accepted", async () => {
    const folder = await repo.checkout("change");
    git(folder, "switch", "--quiet", "--create", "change");
    await edit(folder, hook, "const force", "/** Options that push with force. */\nconst force");
    const env = { GITHUB_BASE_REF: "main" };
    expect(await runJob("change", folder, env)).toMatchObject({ code: 0, ran: { length: 2 } });

    const other = await repo.checkout("loosening");
    await edit(other, hook, "--force(?:-with-lease)?", "--force-with-lease");
    const { code, text, ran } = await runJob("change", other, env);
    expect({ code, last: ran.at(-1) }).toEqual({ code: 1, last: "npm run diff" });
    expect(text).toContain("events/session.jsonl:7");
    // Somebody looks at it, and it is meant so.
    expect((await shell(repo, other, "npm run diff -- --write-accept accepted.json")).code).toBe(1);
    expect((await shell(repo, other, "npm run diff")).code).toBe(0);
  });

  it("bundles, signs and verifies a release, and leaves no key behind", async () => {
    const folder = await repo.checkout("release");
    const { out } = await cliProcess(["keygen", "--out", "made.jwk"], { cwd: folder });
    const key = await readFile(join(folder, "made.jwk"), "utf8");
    const half = JSON.parse(out.slice(out.indexOf("{"))) as object;
    await writeFile(join(folder, "trust.json"), JSON.stringify({ keys: [half] }));
    expect(await runJob("release", folder, { SIGNING_KEY: key })).toMatchObject({
      code: 0,
      ran: { length: 1 },
    });
    const files = execFileSync("ls", { cwd: folder, encoding: "utf8" }).split("\n");
    expect(files).toContain("policies.tgz");
    expect(files).not.toContain("key.jwk");
    // A key that is not trusted makes an invalid bundle.
    await cliProcess(["keygen", "--out", "other.jwk"], { cwd: folder });
    const other = await readFile(join(folder, "other.jwk"), "utf8");
    expect((await runJob("release", folder, { SIGNING_KEY: other })).code).not.toBe(0);
  });
});

/** What differs from run to run and from machine to machine. */
function still(text: string): string {
  return text
    .replaceAll(/sha256:[0-9a-f]{64}/g, "sha256:…")
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "…")
    .replaceAll(/\d+ bytes, signed/g, "… bytes, signed")
    .replaceAll(/"(x|kid)": "[^"]+"/g, '"$1": "…"')
    .replaceAll(/signed by \S+/g, "signed by …")
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, "hh:mm:ss")
    .replaceAll(/\d+\.\d s$/gm, "… s")
    .replaceAll(/median [\d.]+ ms/g, "median … ms")
    .replaceAll(/(?<=(?:continue|ask|deny) {2,})[\d.]+$/gm, "…")
    .replaceAll(/^((?:deny-force-push|limit-edits) +\d+ +)\d+$/gm, "$1…")
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/ {2,}/g, "  ")
    .trim();
}

it("the page walks through the example with what it really prints", { timeout: 240_000 }, async () => {
  const page = await readFile(new URL("../../../../docs/policy-as-code.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```console\n(.*?)^```/gms)].map(([, text = ""]) => text);
  const folder = await repo.checkout("walk");
  let commands = 0;
  for (const block of blocks) {
    for (const part of block.split(/^\$ /m).slice(1)) {
      const end = part.search(/(?<!\\)\n/);
      const [line, printed] = [part.slice(0, end), part.slice(end + 1)];
      const { text } = await shell(repo, folder, line);
      expect(`$ ${line}\n${still(text)}`).toBe(`$ ${line}\n${still(printed)}`);
      commands++;
    }
  }
  expect(commands).toBeGreaterThan(10);
});
