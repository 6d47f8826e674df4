import type { WardenOptions } from "./options.ts";
import { FileWatch } from "./watch-files.ts";
import { FolderWatch } from "./watch.ts";

/** Watches what a warden is served from: the folder of its pack, or its bundle and the trust file beside it. */
export function watchSupply(
  { pack, bundle, trust }: WardenOptions,
  changed: () => void,
): { close(): void } | null {
  if (typeof pack === "string") return new FolderWatch(pack, changed);
  const files = [bundle, trust].filter((path) => typeof path === "string");
  return files.length > 0 ? new FileWatch(files, changed) : null;
}
