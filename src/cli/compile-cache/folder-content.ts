import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Limits of a pack that is cached: reading more takes longer than it saves. */
const maxFiles = 2_000;
const maxBytes = 33_554_432;

/** The files of a pack or of a package, by digest. */
export interface FolderContent {
  /** SHA-256 of all paths and contents. */
  readonly digest: string;
  /** Relative POSIX paths. */
  readonly paths: ReadonlySet<string>;
}

/**
 * Reads all files of a folder.
 *
 * @param skips folders that are left out, by name.
 * @returns `null` where it holds a link or a device, or exceeds a limit: nothing is cached then.
 */
export function folderContent(root: string, skips: (name: string) => boolean): FolderContent | null {
  const hash = createHash("sha256");
  const paths = new Set<string>();
  const waiting = [""];
  let bytes = 0;
  for (let folder = waiting.shift(); folder !== undefined; folder = waiting.shift()) {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!skips(entry.name)) waiting.push(path);
        continue;
      }
      if (!entry.isFile() || paths.size >= maxFiles) return null;
      const content = readFileSync(join(root, path));
      bytes += content.length;
      if (bytes > maxBytes) return null;
      paths.add(path);
      // Lengths keep the boundary between path and content unambiguous.
      hash.update(`${Buffer.byteLength(path)} ${path} ${content.length} `).update(content);
    }
  }
  return { digest: hash.digest("hex"), paths };
}
