import { type Stats, unwatchFile, watchFile } from "node:fs";

/** How often the file's metadata is polled, in milliseconds: works on every file system, and across replacements. */
const pollIntervalMs = 250;

/**
 * Calls back when a trust file was edited, replaced, removed or restored.
 *
 * @returns disposing of it ends the watch.
 */
export function watchTrustFile(path: string, onChange: () => void): Disposable {
  const listener = (now: Stats, before: Stats): void => {
    // Reading the file changes its access time only.
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size || now.ino !== before.ino) onChange();
  };
  watchFile(path, { interval: pollIntervalMs, persistent: false }, listener);
  return { [Symbol.dispose]: () => unwatchFile(path, listener) };
}
