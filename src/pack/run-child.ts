import { spawn } from "node:child_process";
import { dirname } from "node:path";

export interface ChildLimits {
  /** Time by the clock, in milliseconds; then it is killed. */
  readonly wallMs: number;
  /** Most bytes of output; then it is killed. */
  readonly outputBytes: number;
  /** Flags of Node, such as those of its permission model. Default: none. */
  readonly nodeArguments?: readonly string[];
}

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
export function runChild(file: string, input: string, limits: ChildLimits): Promise<ChildResult> {
  return new Promise((done) => {
    const child = spawn(
      process.execPath,
      [
        "--max-old-space-size=1024",
        "--disable-warning=ExperimentalWarning",
        ...(limits.nodeArguments ?? []),
        file,
      ],
      {
        env: systemOnly(),
        cwd: dirname(file),
        detached: process.platform !== "win32",
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      },
    );
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
