import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../daemon/lock.ts";

/** How long a daemon may take to end before it is killed, and how often that is checked, in milliseconds. */
const endMs = 2_000;
const pollIntervalMs = 20;

/**
 * Stops the daemons that the hooks of one session started: they run detached, and outlive the client.
 *
 * @param home the session's home folder, which holds `XDG_RUNTIME_DIR` and `TMPDIR`.
 */
export async function stopDaemons(home: string): Promise<void> {
  const folders = [
    join(home, "run", "hookwarden"),
    join(home, "tmp", `hookwarden-${process.getuid?.() ?? 0}`),
  ];
  const names = (await Promise.all(folders.map(filesIn))).flat().filter((file) => file.endsWith(".lock"));
  await Promise.all(names.map((lock) => stopDaemon(lock)));
}

async function stopDaemon(lock: string): Promise<void> {
  // A daemon holds its lock for as long as it serves: without a lock, the process id may be another process's.
  const held = takeLock(lock);
  if (held) return held.release();
  const [, , line = ""] = (await readFile(lock.replace(/lock$/, "secrets"), "latin1").catch(() => "")).split(
    "\n",
  );
  const pid = Number(line);
  if (!Number.isInteger(pid) || pid < 2) return;
  for (const name of ["SIGTERM", "SIGKILL"] as const) {
    signal(pid, name);
    for (const until = Date.now() + endMs; signal(pid, 0) && Date.now() < until;) await pause();
  }
}

/** @returns whether the process was there. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, pollIntervalMs));

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
