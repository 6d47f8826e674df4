/**
 * Packs the package, installs the tarball into an empty project, and uses it as a stranger would: the library, the
 * types' entry points, and the command line, on every engine that is there.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "hookwarden-smoke-"));
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` };
const run = (command: string, args: readonly string[], cwd = folder, input?: string): string =>
  execFileSync(command, args, {
    cwd,
    env,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "inherit"],
    ...(input ? { input } : {}),
  });

try {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", folder], root)) as {
    filename: string;
  }[];
  if (!packed) throw new Error("npm pack made nothing");
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "smoke", private: true, type: "module" }),
  );
  run("npm", ["install", "--no-audit", "--no-fund", join(folder, packed.filename)]);

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
  console.log("the packed package works");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
