import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Most files of a pack that are looked at before each event; a larger pack has to do without the daemon. */
const maxFiles = 20_000;

/**
 * Identifies one state of a folder: name, number, size and times of every file in it. A change of content
 * shows in the time of the last status change, which no program can set back.
 *
 * Read before every event rather than watched: a watcher reports a moment later, and until then a rule that was just
 * written would not hold.
 *
 * @throws where the folder cannot be read, or holds too much.
 */
export function packStamp(folder: string): string {
  const lines: string[] = [];
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else {
        const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
        lines.push(stats ? `${path} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}` : path);
      }
      if (lines.length + waiting.length > maxFiles) {
        throw new Error(`the pack holds more than ${maxFiles} files; use \`--no-daemon\``);
      }
    }
  }
  return lines.sort().join("\n");
}
