import { type Stats, unwatchFile, watchFile } from "node:fs";

/** How often files are looked at, in milliseconds. */
const pollIntervalMs = 250;
/** How long files must be still before they are read, in milliseconds: copying takes many steps. */
const stillMs = 100;

/**
 * Calls back when one of some files has changed, was replaced or came back, and all are still again. Does not keep the
 * process alive. Files are asked for their state now and then: what is put in their place by a rename, or lies on a
 * share, reports no changes by itself.
 */
export class FileWatch {
  readonly #paths: readonly string[];
  readonly #changed: () => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(paths: readonly string[], changed: () => void) {
    this.#paths = paths;
    this.#changed = changed;
    for (const path of paths) watchFile(path, { interval: pollIntervalMs, persistent: false }, this.#look);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    for (const path of this.#paths) unwatchFile(path, this.#look);
  }

  readonly #look = (now: Stats, before: Stats): void => {
    const same =
      now.mtimeMs === before.mtimeMs &&
      now.ctimeMs === before.ctimeMs &&
      now.ino === before.ino &&
      now.size === before.size;
    if (same) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#changed, stillMs).unref();
  };
}
