import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { HookwardenError } from "hookwarden/errors";
import { makeFolder } from "hookwarden/files";
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
export function openStateFile(options: HookOptions): SqliteStateStore {
  const folder = options.state ?? userFolder();
  try {
    makeFolder(folder, 0o700);
    if (process.platform !== "win32") ownFolder(folder, process.getuid?.() ?? 0);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new HookwardenError("option-invalid", `state cannot be kept: ${why}`);
  }
  const name = shortName(realpathSync(options.pack));
  return new SqliteStateStore({ path: join(folder, `${name}.sqlite`), busyMs: 5_000 });
}

function userFolder(): string {
  const base = process.env["XDG_STATE_HOME"];
  return join(base?.startsWith("/") ? base : join(homedir(), ".local", "state"), "hookwarden");
}
