import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../daemon/lock.ts";

/** How long a daemon may take to end, and how often that is checked, in milliseconds. */
const endMs = 10_000;
const pollIntervalMs = 50;

/**
 * Stops the daemons that the hooks of one session started: they run detached, and outlive the client. A daemon ends when
 * its socket is gone, and holds its lock until then.
 *
 * @param home the session's home folder, which holds `XDG_RUNTIME_DIR` and `TMPDIR`.
 */
export async function stopDaemons(home: string): Promise<void> {
  const folders = [
    join(home, "run", "hookwarden"),
    join(home, "tmp", `hookwarden-${process.getuid?.() ?? 0}`),
  ];
  const files = (await Promise.all(folders.map(filesIn))).flat();
  for (const file of files) if (file.endsWith(".sock")) await rm(file, { force: true });
  const until = Date.now() + endMs;
  for (const lock of files.filter((file) => file.endsWith(".lock"))) {
    while (!isFree(lock) && Date.now() < until) await new Promise((done) => setTimeout(done, pollIntervalMs));
  }
}

function isFree(lock: string): boolean {
  const held = takeLock(lock);
  held?.release();
  return held !== null;
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
}
