import { createHash, randomBytes } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "hookwarden/files";

/** Files of a folder, each written whole or not at all, by names that are digests of what they are called. */
export class AtomicFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes a file and waits until it is on the disk: readers find the old version or the new one. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    makeFolder(this.#folder, 0o700);
    const path = this.#path(name);
    const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
      await this.#syncFolder();
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** `null` where there is no such file, or it is larger than that. */
  async read(name: string, maxBytes: number): Promise<Buffer | null> {
    return this.#readPath(this.#path(name), maxBytes);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#path(name), { force: true });
  }

  /** What is in each file; those that were being written when the process died are taken away. */
  async *all(maxBytes: number): AsyncIterable<Buffer> {
    const names = await readdir(this.#folder).catch(() => [] as string[]);
    for (const name of names.sort()) {
      const path = join(this.#folder, name);
      if (name.endsWith(".tmp")) await rm(path, { force: true });
      else {
        const bytes = await this.#readPath(path, maxBytes);
        if (bytes) yield bytes;
      }
    }
  }

  async #readPath(path: string, maxBytes: number): Promise<Buffer | null> {
    try {
      const { size } = await stat(path);
      return size > maxBytes ? null : await readFile(path);
    } catch {
      return null;
    }
  }

  /** A new name is on the disk when its folder is. Not every system has folders that can be opened. */
  async #syncFolder(): Promise<void> {
    try {
      const folder = await open(this.#folder, "r");
      await folder.sync().finally(() => folder.close());
    } catch (error) {
      if (process.platform !== "win32") throw error;
    }
  }

  #path(name: string): string {
    return join(this.#folder, createHash("sha256").update(name).digest("hex"));
  }
}
