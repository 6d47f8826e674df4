import { opendir } from "node:fs/promises";
import { join } from "node:path";

/** Most folders of a pack that are watched. */
const mostFolders = 2_000;
/** Folders that hold many files, and change only when a pack is put up anew. */
const passedOver = new Set(["node_modules", ".git"]);

/** The folders in a folder and in those, links and what belongs to package managers and versions left out. */
export async function foldersBelow(root: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const waiting = [root];
  for (let folder = waiting.pop(); folder !== undefined && found.size < mostFolders; folder = waiting.pop()) {
    try {
      for await (const entry of await opendir(folder)) {
        if (!entry.isDirectory() || passedOver.has(entry.name)) continue;
        const path = join(folder, entry.name);
        found.add(path);
        waiting.push(path);
      }
    } catch {
      // It has been removed, or is not readable: its parent folder reports when that changes.
    }
  }
  return found;
}
