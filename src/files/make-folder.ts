import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and those above it. Not by Node's recursive `mkdir`, which retries forever where a parent exists and
 * refuses members, as in `/proc`. What exists stays as it is.
 *
 * @param mode permissions of the folders that are created. Default: all that the process's mask leaves.
 * @throws the error of the operating system.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
