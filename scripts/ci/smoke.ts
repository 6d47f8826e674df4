/**
 * Packs all packages, installs them into an empty project as a stranger would, first the core alone and then the
 * others, and uses the library and the command line.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packedPackages, userEnv } from "./packed.ts";

const folder = mkdtempSync(join(tmpdir(), "hookwarden-smoke-"));
const env = userEnv;
const run = (command: string, args: readonly string[], cwd = folder, input?: string): string =>
  execFileSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    ...(input ? { input } : {}),
  });

/** What a host installs for the library and the command line. */
function mustBeSmall(): void {
  const lock = JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")) as {
    readonly packages: object;
  };
  const count = Object.keys(lock.packages).length;
  const modules = join(folder, "node_modules");
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  console.log(`the core installs ${count} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  if (count > 44 || bytes >= 40e6)
    throw new Error("the core has grown: at most 44 packages and 40 MB are allowed");
}

try {
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "smoke", private: true, type: "module" }),
  );
  const install = (...files: readonly string[]): void => {
    run("npm", ["install", "--no-audit", "--no-fund", ...files]);
  };
  const tarballs = packedPackages();
  const core = ["hookwarden", "@hookwarden/sandbox"].map((name) => tarballs.get(name)!);
  install(...core);
  mustBeSmall();

  const pack = join(folder, "my-policies");
  mkdirSync(join(pack, "no-force"), { recursive: true });
  writeFileSync(join(pack, "hookwarden.json"), JSON.stringify({ apiVersion: 1, hooks: ["no-force"] }));
  writeFileSync(
    join(pack, "no-force", "hook.json"),
    JSON.stringify({
      apiVersion: 1,
      name: "no-force",
      version: "1.0.0",
      entry: "hook.ts",
      on: [{ event: "PreToolUse", matcher: "Bash" }],
      reads: ["tool_input.command"],
      actions: ["deny"],
    }),
  );
  writeFileSync(
    join(pack, "no-force", "hook.ts"),
    `import { deny, type PreToolUse } from "hookwarden/hook";
const hook: PreToolUse = (event) => (String(event.tool_input["command"]).includes("--force") ? deny("no force") : undefined);
export default hook;
`,
  );
  writeFileSync(
    join(folder, "use.js"),
    `import { createWarden } from "hookwarden";
await using warden = await createWarden({ pack: "./my-policies" });
const event = (command) => ({ hook_event_name: "PreToolUse", session_id: "s", tool_name: "Bash", tool_input: { command } });
const verdicts = [];
for (const command of ["git push", "git push --force"]) verdicts.push((await warden.dispatch(event(command))).verdict);
if (verdicts.join() !== "continue,deny") throw new Error("the library decided " + verdicts.join());
console.log("library: " + verdicts.join());
`,
  );
  process.stdout.write(run(process.execPath, ["use.js"]));
  const event = JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    tool_name: "Bash",
    tool_input: { command: "git push --force" },
  });
  const cli = join(folder, "node_modules", ".bin", "hookwarden");
  const decision = JSON.parse(
    run(cli, ["run", "my-policies", "--events", "-", "--format", "json"], folder, event),
  ) as {
    verdict: string;
  };
  if (decision.verdict !== "deny") throw new Error(`the command line decided ${decision.verdict}`);
  console.log(`command line: ${decision.verdict}`);
  const missing = spawnSync(cli, ["serve", "--help"], { cwd: folder, env, encoding: "utf8" });
  if (missing.status !== 69 || !missing.stderr.includes("npm install @hookwarden/server")) {
    throw new Error(`a command whose package is missing said: ${missing.stderr}`);
  }
  install(...tarballs.values());
  for (const command of ["serve", "review", "test", "diff", "bench", "push", "pull", "mcp", "playground"]) {
    if (!run(cli, [command, "--help"]).includes(`hookwarden ${command}`)) throw new Error(`no ${command}`);
  }
  const tested = run(cli, ["check", join("node_modules", "@hookwarden", "policies")]);
  console.log(tested.trim().split("\n").at(-1));
  writeFileSync(
    join(folder, "all.js"),
    `for (const name of ["server", "client", "testing", "review", "registry", "playground", "mcp", "mediator", "clients"])
  if (Object.keys(await import("@hookwarden/" + name)).length === 0) throw new Error(name + " exports nothing");
`,
  );
  run(process.execPath, ["all.js"]);
  console.log("the packed packages work");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
