import { builtinModules } from "node:module";
import { posix } from "node:path";
import { callbackify } from "node:util";
import enhancedResolve from "enhanced-resolve";
import { quote } from "@hookwarden/sandbox/json";
import type { MountedFiles } from "./mounted-files.ts";
import { compileLimits } from "./compile-protocol.ts";

/** The one module that is always there: types and helpers for authors of hooks. */
export const helperModule = "hookwarden/hook";

/** How a program calls our helpers, whether their source is bundled or what was built from it. */
const helperName = "/hookwarden/hook";

export type ImportKind = "import" | "require";

type ResolverPair = { readonly [kind in ImportKind]: enhancedResolve.Resolver };

export interface Resolved {
  /** Place in the tree of `BundleFiles`. */
  readonly path: string;
  readonly package?: string;
  readonly version?: string;
  /** From its `package.json`. */
  readonly licence?: string;
  /** Whether its package says that a module without used exports can be left out. */
  readonly sideEffects: boolean;
}

export type Resolution =
  { readonly ok: true; readonly found: Resolved } | { readonly ok: false; readonly problem: string };

/**
 * Finds what an import means, as Node and TypeScript do: relative paths with or without extension, `.js` that stands
 * for `.ts`, packages with `exports`, `imports`, `module` and `main`. Reads only `files`.
 */
export class ImportResolver {
  readonly #files: MountedFiles;
  readonly #helper: string;
  /** For imports of the pack and its packages, which do not see the folder of our helpers, and for those of our helpers. */
  readonly #resolvers: { readonly [importer in "pack" | "helpers"]: ResolverPair };

  constructor(files: MountedFiles, helper: string) {
    this.#files = files;
    this.#helper = helper;
    const pair = (own: boolean): ResolverPair => ({
      import: this.#resolver("import", own),
      require: this.#resolver("require", own),
    });
    this.#resolvers = { pack: pair(false), helpers: pair(true) };
  }

  /** A path as it appears in programs and messages. */
  shown(path: string): string {
    return path === this.#helper ? helperName : path;
  }

  /** The place that is shown so. */
  hidden(path: string): string {
    return path === helperName ? this.#helper : path;
  }

  async resolve(specifier: string, folder: string, kind: ImportKind): Promise<Resolution> {
    if (specifier === helperModule) return { ok: true, found: { path: this.#helper, sideEffects: false } };
    const forbidden = forbiddenSpecifier(specifier);
    if (forbidden) return { ok: false, problem: `cannot import ${quote(specifier)}: ${forbidden}` };
    const raw = await this.#ask(specifier, folder, kind);
    const path = raw && this.#reaches(specifier, folder, raw.path) && (await this.#files.canonical(raw.path));
    if (!raw || !path || (await this.#files.kind(path)) !== "file") {
      const why = builtins.has(specifier)
        ? "it is a Node built-in, and hooks have none"
        : specifier === "hookwarden" || specifier.startsWith("hookwarden/")
          ? `hooks can import \`${helperModule}\` only`
          : specifier.startsWith(".")
            ? "the pack has no such file"
            : "it is not in the `node_modules` of the pack or of the project around it; install it there";
      return { ok: false, problem: `cannot find ${quote(specifier)}: ${why}` };
    }
    const { name, version, license, sideEffects } = raw.description;
    return {
      ok: true,
      found: {
        path,
        ...(typeof name === "string" ? { package: name } : {}),
        ...(typeof version === "string" ? { version } : {}),
        ...(typeof license === "string" ? { licence: license } : {}),
        // Our own helpers have none, however they are cut into files.
        sideEffects: sideEffects !== false && !path.startsWith("/hookwarden/"),
      },
    };
  }

  /**
   * Whether an import may mean a place: in its importer's own tree, or in the package that it names. `main` of a package
   * may name a file anywhere, and a relative path could step from the pack into our own files, or into a package past
   * its `exports`.
   */
  #reaches(specifier: string, folder: string, place: string): boolean {
    if (treeOf(place) === treeOf(folder)) return true;
    const name = specifier.startsWith("#") ? "" : packageName(specifier);
    return this.#files.moduleFolders.some((modules) => place.startsWith(posix.join(modules, name, "/")));
  }

  #ask(
    specifier: string,
    folder: string,
    kind: ImportKind,
  ): Promise<{ readonly path: string; readonly description: { readonly [key: string]: unknown } } | null> {
    const relative = /^\.{1,2}(?:\/|$)/.test(specifier);
    // Whether there is such a file is not even asked.
    if (relative && treeOf(posix.join(folder, specifier)) !== treeOf(folder)) return Promise.resolve(null);
    return new Promise((done) => {
      const importer = treeOf(folder) === helperTree ? "helpers" : "pack";
      this.#resolvers[importer][kind].resolve({}, folder, specifier, {}, (error, path, request) => {
        if (error || typeof path !== "string") return done(null);
        const query = path.search(/[?#\0]/);
        if (query >= 0) return done(null);
        const description = path.includes("/node_modules/") || path.startsWith("/modules/");
        done({ path, description: description ? (request?.descriptionFileData ?? {}) : {} });
      });
    });
  }

  #resolver(kind: ImportKind, own: boolean): enhancedResolve.Resolver {
    return enhancedResolve.ResolverFactory.createResolver({
      fileSystem: this.#fileSystem(own),
      // A guest has neither Node's built-ins nor a page, but code for browsers imports nothing that is not there.
      conditionNames: [kind, "module", "browser", "default"],
      mainFields: ["module", "main"],
      extensions: [".ts", ".mts", ".js", ".mjs", ".cjs", ".json"],
      extensionAlias: { ".js": [".js", ".ts"], ".mjs": [".mjs", ".mts"] },
      modules: ["node_modules", ...this.#files.moduleFolders],
      preferAbsolute: false,
      roots: [],
      pnpApi: null,
      // `canonical` follows links, and rejects those that leave the packages.
      symlinks: false,
    });
  }

  /** The part of Node's `fs` that resolving needs. */
  #fileSystem(own: boolean): enhancedResolve.FileSystem {
    const files = this.#files;
    const hidden = (path: unknown): boolean => !own && treeOf(String(path)) === helperTree;
    const stat = callbackify(async (path: unknown) => {
      if (hidden(path)) throw notFound();
      const kind = await files.kind(String(path));
      if (kind === null || kind === "other") throw notFound();
      return {
        isFile: () => kind === "file",
        isDirectory: () => kind === "folder",
        isSymbolicLink: () => false,
      };
    });
    const readFile = callbackify(async (path: unknown) => {
      if (hidden(path)) throw notFound();
      try {
        return Buffer.from(await files.read(String(path), compileLimits.sourceBytes));
      } catch {
        throw notFound();
      }
    });
    const refuse = callbackify(async () => {
      throw notFound();
    });
    return {
      stat,
      lstat: stat,
      readFile,
      readlink: refuse,
      readdir: refuse,
    } as unknown as enhancedResolve.FileSystem;
  }
}

/** Where our helpers are among `BundleFiles`. */
const helperTree = "/hookwarden";

/** The tree that a place of `BundleFiles` is in: the pack with its own packages, one folder of packages, or our helpers. */
function treeOf(place: string): string {
  return /^\/(?:modules\/[^/]*|[^/]*)/.exec(place)?.[0] ?? place;
}

/** `@scope/name` or `name` of a specifier that begins with one. */
function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

const builtins: ReadonlySet<string> = new Set(builtinModules);

/** Why a specifier is refused regardless of the files; `null` if it is not. */
function forbiddenSpecifier(specifier: string): string | null {
  if (specifier === "") return "it is empty";
  if (specifier.startsWith("node:")) return "it is a Node built-in, and hooks have none";
  if (/^[a-z][a-z0-9+.-]*:/i.test(specifier) || specifier.startsWith("//")) return "it is a URL";
  if (specifier.startsWith("/") || specifier.includes("\\")) return "it is a path that leaves the pack";
  if (/[\0?!]/.test(specifier)) return "it has a character that no path of a pack has";
  return null;
}

function notFound(): NodeJS.ErrnoException {
  return Object.assign(new Error("no such file"), { code: "ENOENT" });
}
