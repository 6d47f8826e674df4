import {
  type ChildProcessByStdio,
  spawn,
  type SpawnOptionsWithStdioTuple,
  type StdioPipe,
} from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { residentMemoryOfTree } from "../../sandbox/process/resident-memory.ts";
import { HookwardenError } from "../errors.ts";
import { childLimits } from "./limits.ts";

export interface ChildLimits {
  /** Time by the clock, in milliseconds; then it is killed. */
  readonly wallMs: number;
  /** Most bytes of output; then it is killed. */
  readonly outputBytes: number;
  /** Resident memory of the child and all its descendants, in MiB; then they are killed. Default 512. */
  readonly memoryMb?: number | undefined;
  /** Flags of Node, such as those of its permission model. Default: none. */
  readonly nodeArguments?: readonly string[];
}

export interface ChildResult {
  /** Its standard output as UTF-8. */
  readonly output: string;
  /** Why it ended early, in words; `null` where it ended by itself without an error. */
  readonly problem: string | null;
}

/** What a child process is started with. */
export interface ChildCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptionsWithStdioTuple<StdioPipe, StdioPipe, "ignore">;
}

/** Time between two samples of memory, in milliseconds. What a child allocates in it can exceed its limit. */
export const memorySampleMs = 25;

/**
 * How far above the limit for resident memory the kernel's own limit lies, in MiB: Node maps more than half a GiB of
 * writable memory before it has run any script, most of which it never touches.
 */
const mappedMb = 1_024;

/**
 * Runs a script in a Node process of its own. Its only connection to this process is its input and output. It leads a
 * process group, which is killed as a whole when a limit is reached or the child has ended.
 *
 * @throws {HookwardenError} `option-invalid` for a limit of memory that is out of range
 */
export async function runChild(file: string, input: string, limits: ChildLimits): Promise<ChildResult> {
  const memoryMb = checkedMemory(limits.memoryMb ?? childLimits.childMemoryMb.default);
  const { command, args, options } = childCommand(file, memoryMb, limits.nodeArguments ?? []);
  return new Promise((done) => {
    const child: ChildProcessByStdio<Writable, Readable, null> = spawn(command, args, options);
    const parts: Buffer[] = [];
    let size = 0;
    let problem: string | null = null;
    const kill = (why: string): void => {
      problem ??= why;
      killGroup(child.pid);
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => kill(`it took longer than ${limits.wallMs} ms`), limits.wallMs);
    const stopWatching = watchMemory(child.pid, memoryMb, kill);
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > limits.outputBytes) kill(`it wrote more than ${limits.outputBytes} bytes`);
      else parts.push(part);
    });
    // It may be gone before it has read its input; how it ended says more.
    child.stdin.on("error", () => {});
    child.on("error", (error) => {
      problem ??= `its process did not start: ${error.message}`;
    });
    // Its descendants may outlive it, with its memory and its output.
    child.on("exit", () => {
      stopWatching();
      killGroup(child.pid);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      stopWatching();
      if (code !== 0) problem ??= "its process ended with an error";
      done({ output: Buffer.concat(parts).toString("utf8"), problem });
    });
    child.stdin.write(input);
  });
}

/** Kills a child whose process tree holds more than its limit; returns what ends the watch. */
function watchMemory(pid: number | undefined, memoryMb: number, kill: (why: string) => void): () => void {
  const memory = residentMemoryOfTree(pid);
  const watch = setInterval(() => {
    memory.sample();
    if (memory.bytes > memoryMb * 1_048_576) kill(memoryProblem(memoryMb));
  }, memorySampleMs);
  return () => {
    clearInterval(watch);
    memory.close();
  };
}

function memoryProblem(memoryMb: number): string {
  return `it needed more than ${memoryMb} MiB of memory; simplify or split the script, or raise \`childMemoryMb\``;
}

/**
 * The command line, environment, folder and descriptors of a child: an empty environment, so that no setting of the host
 * reaches it, and two pipes. Every bundler, type checker and linter is started with it.
 */
export function childCommand(file: string, memoryMb: number, nodeArguments: readonly string[]): ChildCommand {
  const [command = process.execPath, ...args] = [
    ...kernelLimits(memoryMb),
    process.execPath,
    `--max-old-space-size=${memoryMb}`,
    "--disable-warning=ExperimentalWarning",
    ...nodeArguments,
    file,
  ];
  return {
    command,
    args,
    options: {
      env: systemOnly(),
      cwd: dirname(file),
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    },
  };
}

const prlimit = ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => existsSync(path));

/**
 * The kernel's limit, for what grows between two samples, or while this process is too busy to take one. It holds for
 * each process by itself, and counts writable memory (RLIMIT_DATA): Linux ignores a limit of resident memory, and one of
 * address space (RLIMIT_AS) would count the gigabytes that V8 and Go reserve and never use. No core files: they would
 * hold the tenant's scripts. Linux with util-linux; nothing elsewhere.
 */
function kernelLimits(memoryMb: number): readonly string[] {
  if (process.platform !== "linux" || prlimit === undefined) return [];
  return [prlimit, `--data=${(memoryMb + mappedMb) * 1_048_576}`, "--core=0", "--"];
}

function checkedMemory(memoryMb: number): number {
  const { minimum, ceiling, unit } = childLimits.childMemoryMb;
  if (Number.isInteger(memoryMb) && memoryMb >= minimum && memoryMb <= ceiling) return memoryMb;
  throw new HookwardenError(
    "option-invalid",
    `\`childMemoryMb\` is a whole number from ${minimum} to ${ceiling} ${unit}, not \`${memoryMb}\``,
  );
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === "win32") return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
}

/** Windows starts nothing without these two. */
function systemOnly(): NodeJS.ProcessEnv {
  if (process.platform !== "win32") return {};
  const { SystemRoot, windir } = process.env;
  return { ...(SystemRoot ? { SystemRoot } : {}), ...(windir ? { windir } : {}) };
}
