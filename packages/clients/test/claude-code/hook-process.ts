import { type ChildProcess, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFlags, programs } from "../../src/hook/programs.ts";
import { folder, write } from "../../../../test/cli/cli.ts";
import { type PackHook, packFiles } from "./hook-pack.ts";

export interface HookRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** What was printed, as JSON. */
  readonly answer: any;
}

/** A pack, folders for sockets and state, and calls of the hook as Claude Code makes them. */
export interface HookPlace {
  readonly path: string;
  readonly pack: string;
  readonly run: string;
  readonly env: { readonly [name: string]: string };
  call(event: unknown, args?: readonly string[]): Promise<HookRun>;
  start(args?: readonly string[], env?: { readonly [name: string]: string }): ChildProcess;
  /** Process ids of the daemons of this place. */
  daemons(): Promise<number[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const denyRm: PackHook = {
  on: ["PreToolUse"],
  matcher: "Bash",
  actions: ["deny"],
  does: `({ tool_input }) => tool_input.command.includes("rm") ? { action: "deny", reason: "it deletes" } : undefined`,
};

export const bashEvent = (command: string, more: object = {}) => ({
  session_id: "s",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "t",
  ...more,
});

export async function hookPlace(hook: PackHook = denyRm): Promise<HookPlace> {
  const made = await folder();
  const [pack, run] = [join(made.path, "pack"), join(made.path, "run")];
  await write(pack, packFiles(hook));
  await mkdir(run, { mode: 0o700 });
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: made.path,
    XDG_RUNTIME_DIR: run,
    XDG_STATE_HOME: join(made.path, "state"),
    NODE_COMPILE_CACHE: join(tmpdir(), "hookwarden-test-cache"),
  };
  const { client, daemon } = programs();
  const daemons = async (): Promise<number[]> => daemonsOf(daemon, pack);
  const start = (args: readonly string[] = [], more: object = {}): ChildProcess =>
    spawn(process.execPath, [...nodeFlags(client), client, pack, "--idle", "2", ...args], {
      env: { ...env, ...more },
      cwd: made.path,
      stdio: ["pipe", "pipe", "pipe"],
    });
  return {
    path: made.path,
    pack,
    run,
    env,
    start,
    async call(event, args) {
      const child = start(args);
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(
        typeof event === "string" || event instanceof Uint8Array ? event : JSON.stringify(event),
      );
      return ended(child);
    },
    daemons,
    async [Symbol.asyncDispose]() {
      for (const pid of await daemons()) process.kill(pid, "SIGTERM");
      await made[Symbol.asyncDispose]();
    },
  };
}

/** What a child has printed, and how it ended. */
export async function ended(child: ChildProcess): Promise<HookRun> {
  const text = { out: "", err: "" };
  child.stdout?.setEncoding("utf8").on("data", (data: string) => (text.out += data));
  child.stderr?.setEncoding("utf8").on("data", (data: string) => (text.err += data));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  let answer: unknown = null;
  try {
    answer = JSON.parse(text.out);
  } catch {
    // The test says what it expects.
  }
  return { code, ...text, answer };
}

async function daemonsOf(program: string, pack: string): Promise<number[]> {
  const { stdout } = spawn("ps", ["-eo", "pid,args"], { stdio: ["ignore", "pipe", "ignore"] });
  let list = "";
  for await (const part of stdout) list += String(part);
  return list
    .split("\n")
    .filter((line) => line.includes(program) && line.includes(pack))
    .map((line) => Number.parseInt(line, 10));
}
