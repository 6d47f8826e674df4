import type { ChildProcessByStdio } from "node:child_process";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import {
  codeFiles,
  contain,
  type ContainmentMode,
  ContainmentMissingError,
  killGroup,
  spawnContained,
  type Wrapper,
  withRealPath,
} from "@hookwarden/sandbox";
import { residentMemoryOfTree } from "@hookwarden/sandbox/process";
import { HookwardenError } from "../errors/index.ts";
import { childLimits } from "./child-limits.ts";

export interface ChildLimits {
  /** Time by the clock, in milliseconds; then it is killed. */
  readonly wallMs: number;
  /** Most bytes of output; then it is killed. */
  readonly outputBytes: number;
  /** Resident memory of the child and all its descendants, in MiB; then they are killed. Default 512. */
  readonly memoryMb?: number | undefined;
  /** Flags of Node, such as those of its permission model. Default: none. */
  readonly nodeArguments?: readonly string[];
  /** Files and folders that it may read, in addition to this package's own code. Default: none. */
  readonly reads?: readonly string[];
  /** Packages that its program loads. Default: none. */
  readonly packages?: readonly string[];
  /** Whether it may start processes. Default: no. */
  readonly startsProcesses?: boolean;
  /** Walls of the operating system around it; see docs/containment.md. Default: those of this process. */
  readonly containment?: ContainmentMode | undefined;
}

/** Most descriptors of a child: a program is made of up to thousands of files, few of them open at a time. */
const descriptors = 1_024;

export interface ChildResult {
  /** Its standard output as UTF-8. */
  readonly output: string;
  /** Why it ended early, in words; `null` where it ended by itself without an error. */
  readonly problem: string | null;
}

/** Time between two samples of memory, in milliseconds. What a child allocates in it can exceed its limit. */
export const memoryPollIntervalMs = 25;

/**
 * Runs a script in a Node process of its own. Its only connection to this process is its input and output: the environment
 * is empty. It leads a process group, which is killed as a whole when a limit is reached or the child has ended.
 *
 * @throws {HookwardenError} `option-invalid` for a memory limit that is out of range, `containment-missing`
 */
export async function runChild(file: string, input: string, limits: ChildLimits): Promise<ChildResult> {
  const memoryMb = checkedMemory(limits.memoryMb ?? childLimits.childMemoryMb.default);
  const { line, filter } = await walls(file, limits, memoryMb);
  const [command = process.execPath, ...args] = [
    ...line,
    process.execPath,
    `--max-old-space-size=${memoryMb}`,
    "--disable-warning=ExperimentalWarning",
    ...(limits.nodeArguments ?? []),
    ...(file.endsWith(".ts") ? ["--conditions=hookwarden-source"] : []),
    file,
  ];
  return new Promise((done) => {
    const child = spawnContained(command, args, filter, {
      env: systemOnly(),
      cwd: dirname(file),
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    }) as ChildProcessByStdio<Writable, Readable, null>;
    const parts: Buffer[] = [];
    let size = 0;
    let problem: string | null = null;
    const kill = (why: string): void => {
      problem ??= why;
      killGroup(child.pid);
    };
    const timer = setTimeout(() => kill(`it took longer than ${limits.wallMs} ms`), limits.wallMs);
    const stopWatching = watchMemory(child.pid, memoryMb, kill);
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > limits.outputBytes) kill(`it wrote more than ${limits.outputBytes} bytes`);
      else parts.push(part);
    });
    // EPIPE: the child may exit before it reads its input; its exit status is the better error.
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

/** Kills a child whose process tree exceeds its memory limit; returns a function that stops watching. */
function watchMemory(pid: number | undefined, memoryMb: number, kill: (why: string) => void): () => void {
  const memory = residentMemoryOfTree(pid);
  const watch = setInterval(() => {
    memory.sample();
    if (memory.bytes > memoryMb * 1_048_576) kill(memoryProblem(memoryMb));
  }, memoryPollIntervalMs);
  return () => {
    clearInterval(watch);
    memory.close();
  };
}

function memoryProblem(memoryMb: number): string {
  return `it needed more than ${memoryMb} MiB of memory; simplify or split the script, or raise \`childMemoryMb\``;
}

function checkedMemory(memoryMb: number): number {
  const { minimum, ceiling, unit } = childLimits.childMemoryMb;
  if (Number.isInteger(memoryMb) && memoryMb >= minimum && memoryMb <= ceiling) return memoryMb;
  throw new HookwardenError(
    "option-invalid",
    `\`childMemoryMb\` is a whole number from ${minimum} to ${ceiling} ${unit}, not \`${memoryMb}\``,
  );
}

/** @throws {HookwardenError} `containment-missing` */
async function walls(
  program: string,
  { reads = [], packages = [], startsProcesses = false, containment }: ChildLimits,
  memoryMb: number,
): Promise<Wrapper> {
  const files = [...codeFiles(program, ["@hookwarden/sandbox", ...packages]), ...reads.flatMap(withRealPath)];
  const spec = { reads: files, memoryBytes: memoryMb * 1_048_576, descriptors, startsProcesses };
  try {
    return await contain(spec, containment);
  } catch (error) {
    if (!(error instanceof ContainmentMissingError)) throw error;
    throw new HookwardenError("containment-missing", error.message, {}, { cause: error });
  }
}

/** Windows cannot start a process without these two. */
function systemOnly(): NodeJS.ProcessEnv {
  if (process.platform !== "win32") return {};
  const { SystemRoot, windir } = process.env;
  return { ...(SystemRoot ? { SystemRoot } : {}), ...(windir ? { windir } : {}) };
}
