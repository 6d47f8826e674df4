import { type FSWatcher, statSync, watch } from "node:fs";
import { foldersBelow } from "./watched-folders.ts";

/** How long a folder must be still before it is read, in milliseconds: editors and checkouts write in many steps. */
const stillMs = 100;
/** How often a folder that is gone is looked for, in milliseconds. */
const pollIntervalMs = 500;
/**
 * Where the system itself can watch a whole tree. Elsewhere Node would watch each file by itself, which in a folder of
 * ten thousand files takes minutes in which nothing else happens; there each folder is watched, not each file.
 */
const watchesTrees = process.platform === "darwin" || process.platform === "win32";

/**
 * Calls back when something in a folder has changed and it is still again. Goes on when the folder is replaced, or goes
 * away and comes back. Does not keep the process alive.
 */
export class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | null = null;
  #identity = "";
  #closed = false;
  /** Whether the folders below are being listed; and whether they have to be listed once more after that. */
  #listing = false;
  #again = false;
  readonly #folder: string;
  readonly #changed: () => void;

  constructor(folder: string, changed: () => void) {
    this.#folder = folder;
    this.#changed = changed;
    this.#attach();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#detach();
  }

  #detach(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #attach(): void {
    this.#detach();
    this.#identity = identityOf(this.#folder);
    if (this.#identity === "") return this.#schedule(pollIntervalMs);
    if (!this.#watch(this.#folder)) {
      this.#identity = "";
      this.#schedule(pollIntervalMs);
    } else if (!watchesTrees) void this.#watchBelow();
  }

  #watch(folder: string): boolean {
    try {
      const watcher = watch(folder, { recursive: watchesTrees, persistent: false }, () =>
        this.#schedule(stillMs),
      );
      watcher.on("error", () => this.#schedule(stillMs));
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      return false;
    }
  }

  /** Watches the folders that there are now, and none that is gone. */
  async #watchBelow(): Promise<void> {
    if (this.#listing) {
      this.#again = true;
      return;
    }
    this.#listing = true;
    do {
      this.#again = false;
      const below = await foldersBelow(this.#folder);
      if (this.#closed) break;
      for (const [folder, watcher] of this.#watchers) {
        if (folder === this.#folder || below.has(folder)) continue;
        watcher.close();
        this.#watchers.delete(folder);
      }
      for (const folder of below) {
        // Files written to a new folder before it was watched were not reported.
        if (!this.#watchers.has(folder) && this.#watch(folder)) this.#schedule(stillMs);
      }
    } while (this.#again);
    this.#listing = false;
  }

  #schedule(delayMs: number): void {
    if (this.#closed) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), delayMs).unref();
  }

  #look(): void {
    if (this.#closed) return;
    this.#timer = null;
    const identity = identityOf(this.#folder);
    const stillGone = identity === "" && this.#identity === "";
    if (identity !== this.#identity || identity === "") this.#attach();
    else if (!watchesTrees) void this.#watchBelow();
    if (!stillGone) this.#changed();
  }
}

/** Device and inode: another folder under the same name has others. Empty where there is no folder. */
function identityOf(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : "";
}
