import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Writes files, by relative path, below a folder. */
export async function writeFiles(
  root: string,
  files: ReadonlyMap<string, Uint8Array> | { readonly [path: string]: string | Uint8Array },
): Promise<void> {
  const list = files instanceof Map ? [...files] : Object.entries(files);
  for (const [path, content] of list) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content as Uint8Array | string);
  }
}
