/** Starts a server in a process of its own, for benches that measure or kill it, and reads what it uses. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface StartedServer {
  readonly url: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** Ends it in order. */
  stop(): Promise<void>;
}

/**
 * Starts `program.ts` of this folder, and waits until it prints where it listens.
 *
 * @param settings handed over as JSON.
 * @param core to which the server and all that it starts is bound; `null`: none.
 */
export async function startServer(settings: object, core: number | null = null): Promise<StartedServer> {
  const program = fileURLToPath(new URL("./program.ts", import.meta.url));
  const line = [process.execPath, "--no-warnings", program, JSON.stringify(settings)];
  const [command, ...args] = core === null ? line : ["taskset", "-c", String(core), ...line];
  const child = spawn(command as string, args, { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise<string>((done, failed) => {
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.includes("\n")) done(text.slice(0, text.indexOf("\n")));
    });
    child.once("exit", (code) => failed(new Error(`the server has ended with ${code}`)));
  });
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  return {
    url,
    pid: child.pid as number,
    child,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Clock ticks of Linux in a second. */
const ticks = 100;

/** Processor time of a process and of those that it has started, in milliseconds. Linux only. */
export function cpuOf(pid: number): { readonly own: number; readonly children: number } {
  return {
    own: cpuMs(pid),
    children: childrenOf(pid).reduce((sum, child) => sum + cpuMs(child), 0),
  };
}

/** Processes that a process has started, and those that these have. */
export function childrenOf(pid: number): number[] {
  const own: number[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statOf(Number(name));
    if (fields && Number(fields[1]) === pid) own.push(Number(name));
  }
  return own.flatMap((child) => [child, ...childrenOf(child)]);
}

export function rssMb(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]);
  return (pages * 4_096) / 1_048_576;
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Fields behind the name of a process: state, parent, … */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function cpuMs(pid: number): number {
  const fields = statOf(pid);
  return fields ? ((Number(fields[11]) + Number(fields[12])) / ticks) * 1_000 : 0;
}
