import type { ChildProcessByStdio } from "node:child_process";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import {
  codeFiles,
  contain,
  type ContainmentMode,
  ContainmentMissingError,
  spawnWithFilter,
  type Wrapper,
  withRealPath,
} from "../../sandbox/containment/index.ts";
import { HookwardenError } from "../errors.ts";

export interface ChildLimits {
  /** Time by the clock, in milliseconds; then it is killed. */
  readonly wallMs: number;
  /** Most bytes of output; then it is killed. */
  readonly outputBytes: number;
  /** Flags of Node, such as those of its permission model. Default: none. */
  readonly nodeArguments?: readonly string[];
  /** Files and folders that it may read, beside this package's own code. Default: none. */
  readonly reads?: readonly string[];
  /** Packages that its program loads. Default: none. */
  readonly packages?: readonly string[];
  /** Whether it may start processes. Default: no. */
  readonly startsProcesses?: boolean;
  /** Walls of the operating system around it; see docs/containment.md. Default: those of this process. */
  readonly containment?: ContainmentMode | undefined;
}

/** Most memory that a child is meant to hold, in bytes. */
const memoryBytes = 1_073_741_824;
/** Most descriptors of a child: a program is made of up to thousands of files, few of them open at a time. */
const descriptors = 1_024;

export interface ChildResult {
  /** Its standard output as UTF-8. */
  readonly output: string;
  /** Why it ended early, in words; `null` where it ended by itself without an error. */
  readonly problem: string | null;
}

/**
 * Runs a script in a Node process of its own: an empty environment, so that no setting of ours reaches it, and no way
 * to us but its input and output. It leads a process group of its own, so that what it has started is killed with it.
 */
export async function runChild(file: string, input: string, limits: ChildLimits): Promise<ChildResult> {
  const { line, filter } = await walls(limits);
  const [command = process.execPath, ...args] = [
    ...line,
    process.execPath,
    "--max-old-space-size=1024",
    "--disable-warning=ExperimentalWarning",
    ...(limits.nodeArguments ?? []),
    file,
  ];
  return new Promise((done) => {
    const child = spawnWithFilter(command, args, filter, {
      env: systemOnly(),
      cwd: dirname(file),
      detached: process.platform !== "win32",
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
    }) as ChildProcessByStdio<Writable, Readable, null>;
    const parts: Buffer[] = [];
    let size = 0;
    let problem: string | null = null;
    const kill = (why: string): void => {
      problem ??= why;
      killGroup(child.pid);
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => kill(`it took longer than ${limits.wallMs} ms`), limits.wallMs);
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
    child.on("close", (code) => {
      clearTimeout(timer);
      // What it has started may outlive it, and would hold nothing but memory.
      killGroup(child.pid);
      if (code !== 0) problem ??= "its process ended with an error";
      done({ output: Buffer.concat(parts).toString("utf8"), problem });
    });
    child.stdin.write(input);
  });
}

/** @throws {HookwardenError} `containment-missing` */
async function walls({
  reads = [],
  packages = [],
  startsProcesses = false,
  containment,
}: ChildLimits): Promise<Wrapper> {
  const files = [...codeFiles(packages), ...reads.flatMap(withRealPath)];
  try {
    return await contain({ reads: files, memoryBytes, descriptors, startsProcesses }, containment);
  } catch (error) {
    if (!(error instanceof ContainmentMissingError)) throw error;
    throw new HookwardenError("containment-missing", error.message, {}, { cause: error });
  }
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
