/**
 * Measures what a hook call adds before a tool, for each agent client: the installed command with a warm daemon and a pack of
 * one hook, against a hook that does nothing (`/bin/sh -c :`), alternating in one run. Needs `npm run build:js`.
 *
 *     npm run measure:client-latency [-- --rounds 200] [-- --write]
 *
 * `--write` keeps the figures for `docs/clients.md`.
 */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  type ClientName,
  clientNames,
  clients,
  type Json,
} from "../../packages/clients/src/clients/index.ts";
import { passes, writeCanaryPack } from "../../packages/clients/src/doctor/canary-pack.ts";
import { endProcessesOf } from "../../packages/clients/src/doctor/end-processes.ts";
import {
  hookArguments,
  hookDefaults,
  type HookOptions,
} from "../../packages/clients/src/hook/hook-options.ts";
import { hookCommand } from "../../packages/clients/src/settings/command.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, write: { type: "boolean", default: false } },
});
const rounds = Number(values.rounds);
const root = new URL("../../packages/clients/", import.meta.url);
const program = fileURLToPath(new URL("dist/agent-hook.js", root));

interface Call {
  readonly file: string;
  readonly args: readonly string[];
  readonly input: string;
}

const home = await mkdtemp(join(tmpdir(), "hookwarden-latency-"));
const env = {
  PATH: process.env["PATH"] ?? "",
  HOME: home,
  XDG_RUNTIME_DIR: join(home, "run"),
  XDG_STATE_HOME: join(home, "state"),
};

/** The call that a client makes before a tool, with a message that the real client has sent. */
async function callOf(client: ClientName, hook: HookOptions): Promise<Call> {
  const lines = await readFile(new URL(`test/clients/fixtures/${client}.jsonl`, root), "utf8");
  const messages = lines
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Json);
  const nameOf = (message: Json): string => String(message["hook_event_name"]);
  const message = messages.find((one) => clients[client].events[nameOf(one)]?.event === "PreToolUse");
  if (!message) throw new Error(`${client} has no recorded message before a tool`);
  const input = JSON.stringify(message);
  // The plugin of opencode starts the program without a shell.
  if (client === "opencode")
    return { file: process.execPath, args: [program, ...hookArguments(hook)], input };
  const command = hookCommand(hook, nameOf(message), { node: process.execPath, client: program });
  return { file: "/bin/sh", args: ["-c", command], input };
}

function timed({ file, args, input }: Call, answered: boolean): Promise<number> {
  const start = performance.now();
  const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  let out = "";
  child.stdout.on("data", (data) => (out += String(data)));
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code) => {
      if (code !== 0 || (answered && out.trim() !== "{}")) failed(new Error(`${code}: ${out}`));
      else done(performance.now() - start);
    });
  });
}

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) * 10) / 10;

try {
  await mkdir(join(home, "run"), { mode: 0o700 });
  const pack = join(home, "pack");
  await writeCanaryPack(pack, passes);
  const empty: Call = { file: "/bin/sh", args: ["-c", ":"], input: "{}" };
  const calls = new Map<string, Call>([["empty", empty]]);
  for (const client of clientNames)
    calls.set(client, await callOf(client, { ...hookDefaults, client, pack }));
  // Starts the daemons, and lets each compile its pack and its sandboxes.
  for (let warm = 0; warm < 5; warm++) {
    for (const [name, call] of calls) await timed(call, name !== "empty");
  }
  const times = new Map([...calls.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of calls) times.get(name)?.push(await timed(call, name !== "empty"));
  }
  const found = Object.fromEntries(
    [...times].map(([name, all]) => {
      const sorted = all.toSorted((one, other) => one - other);
      return [name, { median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) }];
    }),
  );
  console.table(found);
  if (values.write) {
    const file = new URL("proven.json", root);
    const proven = JSON.parse(await readFile(file, "utf8")) as object;
    const date = new Date().toISOString().slice(0, 10);
    const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node.js ${process.versions.node}`;
    await writeFile(
      file,
      `${JSON.stringify({ ...proven, latency: { date, machine, rounds, milliseconds: found } }, null, 2)}\n`,
    );
  }
} finally {
  await endProcessesOf(home);
  await rm(home, { recursive: true, force: true });
}
