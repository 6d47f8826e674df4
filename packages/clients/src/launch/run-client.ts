import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClientName } from "../clients/client.ts";
import { launchers } from "./launchers.ts";
import type { LaunchOptions } from "./launcher.ts";

/** Most output that is kept of a client, in characters. */
const maxOutput = 200_000;

export interface RunOptions extends LaunchOptions {
  readonly client: ClientName;
  /** After how many milliseconds it is killed, with everything that it started. */
  readonly timeoutMs: number;
  /** More environment variables. */
  readonly env?: { readonly [name: string]: string };
}

export interface ClientRun {
  /** `null` if it was killed. */
  readonly code: number | null;
  readonly output: string;
  readonly timedOut: boolean;
}

/**
 * Runs a client once in folders of its own. It gets no environment variable of this process but `PATH`, and a proxy that
 * does not exist, so that it reaches only this machine.
 */
export async function runClient(options: RunOptions): Promise<ClientRun> {
  const launch = launchers[options.client](options);
  for (const [path, text] of Object.entries(launch.files)) {
    const file = join(options.home, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, await joined(file, text));
  }
  const env = { ...offline(options.home), ...launch.env, ...options.env };
  for (const args of launch.before ?? []) {
    await finished(launch.command, args, { ...options, env });
  }
  return finished(launch.command, launch.args, { ...options, env });
}

/** The text for a file: a JSON object gets the members of the one that is there, such as the hooks. */
async function joined(file: string, text: string): Promise<string> {
  const there = await readFile(file, "utf8").catch(() => "");
  if (there === "") return text;
  if (!file.endsWith(".json")) return there + text;
  return JSON.stringify({ ...(JSON.parse(there) as object), ...(JSON.parse(text) as object) }, null, 2);
}

function offline(home: string): { readonly [name: string]: string } {
  // The discard port: connections to other hosts fail at once.
  const proxy = "http://127.0.0.1:9";
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: join(home, "tmp"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_RUNTIME_DIR: join(home, "run"),
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
    CI: "1",
    NO_COLOR: "1",
    TERM: "dumb",
  };
}

interface ProcessOptions {
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
}

async function finished(
  command: string,
  args: readonly string[],
  { cwd, env, timeoutMs }: ProcessOptions,
): Promise<ClientRun> {
  await mkdir(env["TMPDIR"] as string, { recursive: true });
  await mkdir(env["XDG_RUNTIME_DIR"] as string, { recursive: true, mode: 0o700 });
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  const keep = (data: string): void => void (output = (output + data).slice(-maxOutput));
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    killGroup(child.pid);
  }, timeoutMs);
  // Not `close`: what a client leaves running may keep its pipes open.
  const code = await new Promise<number | null>((done) => {
    child.on("error", (error) => {
      keep(error.message);
      done(null);
    });
    child.on("exit", (status) => setTimeout(() => done(status), 50));
  });
  clearTimeout(timer);
  killGroup(child.pid);
  child.stdout.destroy();
  child.stderr.destroy();
  return { code, output, timedOut };
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}
