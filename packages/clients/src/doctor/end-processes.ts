import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";

/** How long a process may take to end once it was asked to, and how often that is checked, in milliseconds. */
const endMs = 2_000;
const pollIntervalMs = 50;

/**
 * Ends all processes of one session: hookwarden's daemons and those that clients start, such as the hub of Cline, run
 * detached and outlive the client. They are recognized by their environment, which has the session's folder as `HOME`.
 */
export async function endProcessesOf(home: string): Promise<void> {
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    const until = Date.now() + endMs;
    const asked = new Set<number>();
    for (;;) {
      const pids = await processesOf(home);
      if (pids.length === 0) return;
      // One that is ending may still have started another.
      for (const pid of pids) if (!asked.has(pid)) signal(pid, name);
      for (const pid of pids) asked.add(pid);
      if (Date.now() >= until) break;
      await new Promise((done) => setTimeout(done, pollIntervalMs));
    }
  }
}

/** The processes of this user whose `HOME` is a folder. */
export function processesOf(home: string): Promise<number[]> {
  return process.platform === "linux" ? inProc(home) : listed(home);
}

async function inProc(home: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      return environment.split("\0").includes(`HOME=${home}`);
    }),
  );
  return pids.filter((_, index) => found[index]).map(Number);
}

/** By `ps`, which shows the environment after the command line. */
function listed(home: string): Promise<number[]> {
  return new Promise((done) => {
    execFile("ps", ["-xEww", "-o", "pid=,command="], { maxBuffer: 16 * 1_048_576 }, (_, out) => {
      const lines = out.split("\n").filter((line) => `${line} `.includes(` HOME=${home} `));
      done(lines.map((line) => Number.parseInt(line, 10)).filter((pid) => pid > 1));
    });
  });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone.
  }
}
