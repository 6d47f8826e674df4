import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const missing = ["bash", "curl", "sed"].filter((name) => spawnSync(name, ["--version"]).error);
if (missing.length > 0) console.warn(`skipped: the commands of docs/server.md need ${missing.join(", ")}`);

/** The commands of a section of the page, block by block. */
function blocks(section: string, path = "docs/server.md"): string[] {
  const page = readFileSync(join(root, path), "utf8");
  const text = new RegExp(`^## ${section}$.*?(?=^## |$(?![^]))`, "ms").exec(page)?.[0] ?? "";
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = ""]) => code);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

describe.skipIf(missing.length > 0)("the commands of docs/server.md", { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "hookwarden-docs-"));
  const servers: ChildProcess[] = [];
  let env: NodeJS.ProcessEnv;

  beforeAll(() => {
    // What `npm install` would put here: the command, which `npx` finds, and the package.
    const main = join(root, "src/cli/main.ts");
    writeFileSync(
      join(folder, "npx"),
      `#!/bin/sh\nshift\nexec "${process.execPath}" --conditions=hookwarden-source "${main}" "$@"\n`,
    );
    chmodSync(join(folder, "npx"), 0o755);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    env = { PATH: [folder, process.env["PATH"]].join(delimiter) };
  });
  afterAll(() => {
    for (const server of servers) server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs commands as a shell does; a server goes on in the background, at a port that is free. */
  async function run(code: string, port: number): Promise<string> {
    const lines = code.trim().split("\n");
    const serve = lines.findIndex((line) => line.includes(" serve "));
    const commands = lines
      .slice(0, serve < 0 ? undefined : serve)
      .filter((line) => !line.startsWith("npm install"));
    const script = commands
      .join("\n")
      .replaceAll("localhost:8787", `localhost:${port}`)
      .replaceAll("hookwarden degraded", `hookwarden degraded --server http://localhost:${port}`);
    const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-ec", script], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect(status, stderr).toBe(0);
    if (serve >= 0) await start(lines[serve]!, port);
    return stdout;
  }

  async function start(line: string, port: number): Promise<void> {
    const server = spawn("bash", ["--norc", "-ec", `exec ${line} --port ${port}`], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    servers.push(server);
    await new Promise<void>((done, failed) => {
      server.stdout.once("data", () => done());
      server.once("close", (code) => failed(new Error(`the server has ended with ${code}`)));
    });
  }

  it("lead from nothing to a decision in four, `npm install` included", async () => {
    const [install = "", ask = ""] = blocks("Start");
    const commands = `${install}${ask}`.replaceAll("\\\n", "").trim().split("\n");
    expect(commands).toHaveLength(4);
    expect(commands[0]).toBe("npm install hookwarden @hookwarden/server");
    const port = await freePort();
    await run(install, port);
    expect(JSON.parse(await run(ask, port))).toMatchObject({
      tenant: "default",
      verdict: "deny",
      decided_by: "first-hook",
      reason: "forbidden is not allowed here",
    });
  });

  it("make a tenant with a key and a pack of its own", async () => {
    const [serve = "", ...more] = blocks("Tenants");
    const port = await freePort();
    await run(serve, port);
    const answers = await run(more.join(""), port);
    expect(answers).toContain(`"tenant":"acme"`);
    expect(JSON.parse(answers.slice(answers.lastIndexOf(`{"decision_id"`)))).toMatchObject({
      tenant: "acme",
      verdict: "deny",
      decided_by: "first-hook",
    });
  });

  it("decide a stream, put a tenant into degraded mode, make another key, and back the data up", async () => {
    const [serve = "", login = ""] = blocks("Tenants");
    const [stream = ""] = blocks("Decisions");
    const [degraded = ""] = blocks("Degraded mode");
    const [rotate = ""] = blocks("Keys", "docs/operating.md");
    const backup = blocks("Backup and restore", "docs/operating.md")[0] ?? "";
    const port = await freePort();
    // A folder belongs to one server at a time.
    await run(serve.replace("./data", "./other"), port);
    const prelude = `${login.replace("data/", "other/")}acme="authorization: Bearer $key"\ncp my-policies/events.jsonl .\n`;
    const pack = `curl -sfX PUT localhost:8787/v1/tenants/acme/packs -H "$acme" -H "content-type: application/gzip" --data-binary @my-policies.tgz\n`;
    const streamed = await run(`${prelude}${pack}echo; ${stream}`, port);
    const lines = streamed
      .trim()
      .split("\n")
      .filter((line) => line.startsWith('{"status"'));
    expect(lines.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual([200, 200]);
    const window = await run(degraded.replaceAll("data/", "other/"), port);
    expect(window.replaceAll(/\s+/g, " ")).toContain("the secrets guard times out");
    expect(window).toContain("no longer in degraded mode");
    const [make = ""] = rotate.split("\n");
    expect(await run(`${prelude}${make}`, port)).toContain('"name":"2027"');
    await run(
      backup
        .replace("deploy/backup.mjs", join(root, "deploy/backup.mjs"))
        .replace("/var/lib/hookwarden", "other")
        .replace("/backup/2027-01-31", "backup"),
      port,
    );
    expect(readdirSync(join(folder, "backup"))).toContain("server.db");
  });
});
