import { realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { HookwardenError } from "hookwarden/errors";
import { SqliteStateStore } from "hookwarden/state";
import type { HookOptions } from "../hook/hook-options.ts";
import { ownFolder, shortName } from "../hook/runtime-folder.ts";

/**
 * Opens the state of a pack's hooks: one file for each pack, in `state` or in the user's folder for state. In a file,
 * and not in the daemon's memory, because retry limits and hooks that count must survive the daemon, and because a
 * process that decides without one must know the same.
 *
 * @throws {HookwardenError} `option-invalid`
 */
export async function openStateFile(options: HookOptions): Promise<SqliteStateStore> {
  const folder = options.state ?? userFolder();
  try {
    await makeFolder(folder);
    if (process.platform !== "win32") ownFolder(folder, process.getuid?.() ?? 0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HookwardenError("option-invalid", `state cannot be kept: ${why}`);
  }
  const name = shortName(realpathSync(options.pack));
  return new SqliteStateStore({ path: join(folder, `${name}.sqlite`), busyMs: 5_000 });
}

/** Node's recursive `mkdir` retries for ever where a parent exists and refuses members, as in `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  try {
    await make();
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === folder) throw error;
    await makeFolder(parent);
    await make();
  }
}

function userFolder(): string {
  const base = process.env["XDG_STATE_HOME"];
  return join(base?.startsWith("/") ? base : join(homedir(), ".local", "state"), "hookwarden");
}
