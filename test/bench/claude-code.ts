/**
 * What a hook call of Claude Code costs as a process, and what an answer costs in process, each as a ratio to what is
 * there anyway. Reports, and asserts nothing.
 *
 *     npm run build:js && node test/bench/claude-code.ts [rounds]
 */
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeHooks } from "../../src/adapters/claude-agent-sdk/index.ts";
import { createWarden } from "../../src/index.ts";
import { measure } from "./rounds.ts";

const dist = process.env["HOOKWARDEN_DIST"] ?? fileURLToPath(new URL("../../dist", import.meta.url));
const rounds = Number(process.argv[2] ?? 15);
const folder = await mkdtemp(join(tmpdir(), "hookwarden-bench-"));
const pack = join(folder, "pack");

const event = {
  session_id: "s",
  cwd: "/home/user/project",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "git status --short" },
  tool_use_id: "t",
};

async function writePack(): Promise<void> {
  await mkdir(join(pack, "one"), { recursive: true });
  await mkdir(join(folder, "run"), { mode: 0o700 });
  const hook = {
    apiVersion: 1,
    name: "one",
    version: "1.0.0",
    entry: "hook.js",
    on: [{ event: "PreToolUse", matcher: "Bash" }],
    reads: ["tool_input.command"],
    actions: ["deny"],
  };
  const script = `export default ({ tool_input }) =>
  /\\brm\\b/.test(tool_input.command) ? { action: "deny", reason: "it deletes" } : undefined;\n`;
  await writeFile(join(pack, "hookwarden.json"), JSON.stringify({ apiVersion: 1, hooks: ["one"] }));
  await writeFile(join(pack, "one/hook.json"), JSON.stringify(hook));
  await writeFile(join(pack, "one/hook.js"), script);
}

const env = {
  PATH: dirname(process.execPath),
  HOME: folder,
  XDG_RUNTIME_DIR: join(folder, "run"),
  XDG_STATE_HOME: join(folder, "state"),
};
const run =
  (...args: string[]) =>
  (): void => {
    const { status, stderr } = spawnSync(process.execPath, args, { env, input: JSON.stringify(event) });
    if (status !== 0) throw new Error(`${args.join(" ")}: ${status} ${String(stderr)}`);
  };

await writePack();
await writeFile(join(folder, "empty.mjs"), "");
const client = join(dist, "claude-code-hook.js");
run(client, pack)();
interface ProcessCase {
  readonly name: string;
  readonly run: () => void;
  readonly ms: number[];
}
const processCase = (name: string, run: () => void): ProcessCase => ({ name, run, ms: [] });
const cases = [
  processCase("node, an empty module", run(join(folder, "empty.mjs"))),
  processCase("hook, with the daemon", run(client, pack)),
  processCase("hook, by the command line, with the daemon", run(join(dist, "cli.js"), "claude-code", pack)),
  processCase("hook, without the daemon, inline", run(client, pack, "--no-daemon", "--isolation", "inline")),
  processCase("hook, without the daemon", run(client, pack, "--no-daemon")),
];
for (let round = 0; round < rounds; round++) {
  for (const { run, ms } of cases) {
    const start = performance.now();
    run();
    ms.push(performance.now() - start);
  }
}
/** The least, because a busy machine adds to each, and takes from none; and the median, to show how busy it was. */
const leastOf = (ms: readonly number[]): number => Math.min(...ms);
const medianOf = (ms: readonly number[]): number => [...ms].sort((a, b) => a - b)[ms.length >> 1] ?? NaN;
const bare = leastOf(cases[0]?.ms ?? []);
for (const { name, ms } of cases) {
  const least = leastOf(ms);
  const own = (least - bare).toFixed(1);
  console.log(
    `${name}: least ${least.toFixed(1)} ms, ${(least / bare).toFixed(2)}×, ${own} ms beside it; median ${medianOf(ms).toFixed(1)} ms`,
  );
}

await using warden = await createWarden({ pack });
const hook = claudeHooks(warden).PreToolUse[0]?.hooks[0];
if (!hook) throw new Error("there is no hook");
const { signal } = new AbortController();
const inProcess = await measure(
  [
    { name: "a tool that starts `true`", n: 1, run: () => spawnSync("/bin/true") },
    { name: "the hook in process", n: 200, run: () => hook(event, "t", { signal }) },
  ],
  rounds,
);
for (const { name, us, ratio } of inProcess)
  console.log(`${name}: ${us.toFixed(0)} µs, ${ratio.toFixed(3)}×`);
await rm(folder, { recursive: true, force: true });
