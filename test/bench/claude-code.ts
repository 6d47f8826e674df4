/**
 * What a hook call of Claude Code costs as a process, and what an answer costs in process, each as a ratio to what is
 * there anyway. Reports, and asserts nothing.
 *
 *     npm run build:js && node test/bench/claude-code.ts [rounds]
 */
import { spawnSync } from "node:child_process";
import { connect, createServer } from "node:net";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { claudeHooks } from "@hookwarden/clients/claude-agent-sdk";
import { answerCall } from "../../packages/clients/src/hook/hook-call.ts";
import { hookDefaults, programs } from "@hookwarden/clients";
import { createWarden } from "../../src/warden/index.ts";
import { measure } from "./rounds.ts";

const dist =
  process.env["HOOKWARDEN_DIST"] ?? fileURLToPath(new URL("../../packages/clients/dist", import.meta.url));
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
const echoPath = join(folder, "echo.sock");
const echoServer = createServer((socket) => socket.pipe(socket));
await new Promise<void>((done) => echoServer.listen(echoPath, done));
const echo = (): Promise<void> =>
  new Promise((done) => {
    const socket = connect(echoPath, () => socket.write("x"));
    socket.once("data", () => {
      socket.destroy();
      done();
    });
  });

interface ProcessCase {
  readonly name: string;
  readonly args: readonly string[];
  readonly calls: number;
  /** For one call, in milliseconds: of each round. */
  readonly wall: number[];
  readonly cpu: number[];
}
const processCase = (name: string, calls: number, ...args: string[]): ProcessCase => ({
  name,
  args,
  calls,
  wall: [],
  cpu: [],
});

/** Calls a program some times from a shell, which knows what processor time its children took. */
const loop = `i=0; while [ $i -lt $CALLS ]; do "$@" < "$EVENT" > /dev/null || exit 1; i=$((i+1)); done; times`;

function measureProcess({ args, calls, wall, cpu }: ProcessCase): void {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", loop, "sh", process.execPath, ...args], {
    env: { ...env, CALLS: String(calls), EVENT: join(folder, "event.json") },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  wall.push((performance.now() - start) / calls);
  const times = [...(stdout.trim().split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  const seconds = times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
  cpu.push((seconds * 1_000) / calls);
}

await writePack();
await writeFile(join(folder, "empty.mjs"), "");
await writeFile(join(folder, "event.json"), JSON.stringify(event));
const client = join(dist, "agent-hook.js");
const cases = [
  processCase("node, an empty module", 10, join(folder, "empty.mjs")),
  processCase("hook, with the daemon", 10, client, pack),
  processCase("hook, without the daemon, inline", 2, client, pack, "--no-daemon", "--isolation", "inline"),
  processCase("hook, without the daemon", 2, client, pack, "--no-daemon"),
];
// Once, so that the daemon is there.
measureProcess(processCase("", 1, client, pack));
for (let round = 0; round < rounds; round++) for (const one of cases) measureProcess(one);
/** The least, because a busy machine adds to each, and takes from none. */
const least = (values: readonly number[]): number => Math.min(...values);
const [bare] = cases;
for (const { name, wall, cpu } of cases) {
  const ratio = (least(cpu) / least(bare?.cpu ?? [])).toFixed(2);
  const own = (least(cpu) - least(bare?.cpu ?? [])).toFixed(1);
  const times = `${least(wall).toFixed(0)} ms, ${least(cpu).toFixed(1)} ms of processor time`;
  console.log(`${name}: ${times}, ${ratio}×, ${own} ms more than Node alone`);
}

Object.assign(process.env, env);
const options = { ...hookDefaults, pack };
const input = Buffer.from(JSON.stringify(event));
const overSocket = await measure(
  [
    { name: "an empty round trip over a Unix socket", n: 50, run: () => echo() },
    {
      name: "an answer of the daemon, from a process that runs",
      n: 50,
      run: () => answerCall(options, programs(), Promise.resolve(input)),
    },
  ],
  rounds,
);
for (const { name, us, ratio } of overSocket)
  console.log(`${name}: ${us.toFixed(0)} µs, ${ratio.toFixed(2)}×`);
echoServer.close();

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
