import { lstat, readlink } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { HookwardenError } from "../errors/index.ts";
import { folderSource, type EntryKind, memorySource, type PackSource } from "../files/index.ts";

/**
 * The only files that a bundle can see, as one tree of made-up absolute paths: `/pack` is the pack, `/modules/0` and
 * so on are folders of packages, `/hookwarden` our own helpers. No path of the machine appears in it, so none appears
 * in a program or a message, and the same files give the same program everywhere.
 */
export class MountedFiles {
  /** Longest place first, so that `/pack/node_modules` comes before `/pack`. */
  readonly #mounts: readonly Mount[];
  /** What was found: a run lasts seconds, and resolving asks for the same places again and again. */
  readonly #kinds = new Map<string, Promise<EntryKind | null>>();
  /** Where folders of packages really are. */
  readonly #folders = new Map<string, Found | null>();

  private constructor(mounts: readonly Mount[]) {
    this.#mounts = [...mounts].sort((a, b) => b.at.length - a.at.length);
  }

  static async open(
    pack: string | ReadonlyMap<string, Uint8Array>,
    nodeModules: readonly string[],
    helpers: string,
  ): Promise<MountedFiles> {
    const mounts: Mount[] = [];
    if (typeof pack === "string") {
      const source = await folderSource(pack);
      mounts.push({ at: "/pack", source, root: null });
      if ((await source.kind("node_modules")) === "folder") {
        mounts.push(await packages("/pack/node_modules", join(source.root, "node_modules")));
      }
    } else {
      mounts.push({ at: "/pack", source: memorySource(pack), root: null });
    }
    for (const [index, folder] of nodeModules.entries())
      mounts.push(await packages(`/modules/${index}`, folder));
    mounts.push({ at: "/hookwarden", source: await folderSource(helpers), root: null });
    return new MountedFiles(mounts);
  }

  /** The folders of packages beside the pack's own. */
  get moduleFolders(): readonly string[] {
    return this.#mounts.map(({ at }) => at).filter((at) => at.startsWith("/modules/"));
  }

  /** The place where a file really is: links between packages are followed, as long as they stay among packages. */
  async canonical(path: string): Promise<string | null> {
    const found = await this.#find(path);
    return found && join(found.mount.at, found.path).split(sep).join("/");
  }

  kind(path: string): Promise<EntryKind | null> {
    const known = this.#kinds.get(path) ?? this.#look(path);
    this.#kinds.set(path, known);
    return known;
  }

  async #look(path: string): Promise<EntryKind | null> {
    const found = await this.#find(path);
    if (found) return found.mount.source.kind(found.path);
    return this.#mounts.some(({ at }) => at.startsWith(`${path === "/" ? "" : path}/`)) ? "folder" : null;
  }

  /** @throws {HookwardenError} `file-unreadable`, `path-outside-pack` */
  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    const found = await this.#find(path);
    if (!found) throw new HookwardenError("path-outside-pack", "the file is not in the pack or its packages");
    return found.mount.source.read(found.path, maxBytes);
  }

  async #find(path: string, links = 0): Promise<Found | null> {
    const mount = this.#mounts.find(({ at }) => path === at || path.startsWith(`${at}/`));
    if (!mount) return null;
    if (mount.root === null || path === mount.at) return { mount, path: path.slice(mount.at.length + 1) };
    const folder = await this.#folder(posix.dirname(path), links);
    return folder && (await this.#follow(folder, posix.basename(path), links));
  }

  async #folder(path: string, links: number): Promise<Found | null> {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const found = await this.#find(path, links);
    this.#folders.set(path, found);
    return found;
  }

  /**
   * Package managers link packages to each other. A link is followed where it leads into packages again; of other places
   * not even the kernel is asked whether they exist.
   */
  async #follow(folder: Found, name: string, links: number): Promise<Found | null> {
    const found = { mount: folder.mount, path: posix.join(folder.path, name) };
    const place = join(folder.mount.root ?? "", found.path);
    try {
      if (!(await lstat(place)).isSymbolicLink()) return found;
      const target = this.#placeOf(resolve(dirname(place), await readlink(place)));
      return target === null || links >= maxLinks ? null : await this.#find(target, links + 1);
    } catch {
      return null;
    }
  }

  /** The place in this tree of a path of the machine; `null` where it is not among packages. */
  #placeOf(path: string): string | null {
    for (const { at, root } of this.#mounts) {
      if (root === null) continue;
      const below = relative(root, path);
      if (below === "") return at;
      if (below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolutePath(below)) {
        return `${at}/${below.split(sep).join("/")}`;
      }
    }
    return null;
  }
}

/** As many as Linux follows. */
const maxLinks = 40;

/** A file or folder of a mount, by its path from there. */
interface Found {
  readonly mount: Mount;
  readonly path: string;
}

interface Mount {
  readonly at: string;
  readonly source: PackSource;
  /** Real path of a folder where links may lead from package to package; `null` where no link is followed. */
  readonly root: string | null;
}

async function packages(at: string, folder: string): Promise<Mount> {
  const source = await folderSource(folder);
  return { at, source, root: source.root };
}

/** On Windows `relative` answers an absolute path for another drive. */
function isAbsolutePath(path: string): boolean {
  return /^[A-Za-z]:/.test(path) || path.startsWith("/");
}
