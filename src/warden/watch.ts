import { type FSWatcher, statSync, watch } from "node:fs";

/** How long a folder must be still before it is read, in milliseconds: editors and checkouts write in many steps. */
const stillMs = 100;
/** How often a folder that is gone is looked for, in milliseconds. */
const lookMs = 500;

/**
 * Calls back when something in a folder has changed and it is still again. Goes on when the folder is replaced, or goes
 * away and comes back. Does not keep the process alive.
 */
export class FolderWatch {
  private watcher: FSWatcher | null = null;
  private timer: NodeJS.Timeout | null = null;
  private identity = "";
  private closed = false;
  private readonly folder: string;
  private readonly changed: () => void;

  constructor(folder: string, changed: () => void) {
    this.folder = folder;
    this.changed = changed;
    this.attach();
  }

  close(): void {
    this.closed = true;
    if (this.timer) clearTimeout(this.timer);
    this.watcher?.close();
  }

  private attach(): void {
    this.watcher?.close();
    this.watcher = null;
    this.identity = identityOf(this.folder);
    if (this.identity === "") return this.schedule(lookMs);
    try {
      this.watcher = watch(this.folder, { recursive: true, persistent: false }, () => this.schedule(stillMs));
      this.watcher.on("error", () => this.schedule(stillMs));
    } catch {
      this.identity = "";
      this.schedule(lookMs);
    }
  }

  private schedule(delayMs: number): void {
    if (this.closed) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), delayMs).unref();
  }

  private look(): void {
    if (this.closed) return;
    this.timer = null;
    const identity = identityOf(this.folder);
    const stillGone = identity === "" && this.identity === "";
    if (identity !== this.identity || identity === "") this.attach();
    if (!stillGone) this.changed();
  }
}

/** Device and inode: another folder under the same name has others. Empty where there is no folder. */
function identityOf(folder: string): string {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : "";
}
