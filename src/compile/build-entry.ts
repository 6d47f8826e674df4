import { posix } from "node:path";
import {
  build,
  type BuildFailure,
  type Loader,
  type Message,
  type Metafile,
  type OnResolveArgs,
  type OnResolveResult,
  type PartialMessage,
  type Plugin,
} from "esbuild";
import { quote } from "@hookwarden/sandbox/json";
import { HookwardenError } from "../errors/index.ts";
import type { MountedFiles } from "./mounted-files.ts";
import {
  type CompileAnswer,
  type CompiledModule,
  type CompileEntry,
  type CompileFailure,
  compileLimits,
} from "./compile-protocol.ts";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { ImportResolver, Resolved } from "./resolve-import.ts";
import { hideRunTimeImports, mayImportAtRunTime } from "./opaque-imports.ts";
import { type Derived, originalPlace } from "./original-place.ts";

/** What each kind of file is read as; anything else is refused. */
const loaders: ReadonlyMap<string, Loader> = new Map<string, Loader>([
  [".js", "js"],
  [".mjs", "js"],
  [".cjs", "js"],
  [".ts", "ts"],
  [".mts", "ts"],
  [".cts", "ts"],
  [".json", "json"],
]);

/** Globals of other hosts that a script may bring along: set on `globalThis`, an engine need not find them as free names. */
const polyfilled =
  "TextDecoder TextEncoder URL URLSearchParams Buffer process structuredClone queueMicrotask setTimeout clearTimeout setImmediate atob btoa performance crypto";
const define: Record<string, string> = { global: "globalThis", "process.env.NODE_ENV": '"production"' };
for (const name of polyfilled.split(" ")) define[name] = `globalThis.${name}`;

/**
 * Makes one program of a script and all that it imports. Never rejects for what is in the files; answers `null` where
 * the bundler itself died, of this script or of another one that it had at the same time.
 */
export async function buildEntry(
  files: MountedFiles,
  resolver: ImportResolver,
  entry: CompileEntry,
  maps: boolean,
): Promise<CompileAnswer | null> {
  const reader = new ProgramFiles(files, resolver, `/pack/${entry.path}`, maps);
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: ["program"],
      bundle: true,
      write: false,
      outfile: "program.js",
      format: "esm",
      platform: "neutral",
      target: "es2022",
      charset: "utf8",
      legalComments: "none",
      minify: false,
      treeShaking: true,
      sourcemap: "external",
      sourcesContent: maps,
      metafile: true,
      logLevel: "silent",
      logLimit: 1,
      // A pack's own tsconfig.json must not change what its scripts mean.
      tsconfigRaw: { compilerOptions: {} },
      define,
      plugins: [reader.plugin()],
    });
    const source = outputFiles.find(({ path }) => path.endsWith(".js"))?.text ?? "";
    if (Buffer.byteLength(source) > compileLimits.programBytes) {
      return failed(entry, {
        message: `the program is larger than ${compileLimits.programBytes} bytes`,
        file: entry.path,
      });
    }
    // Its helper for a search through folders, of which none may have been left to make.
    if (/\b__glob/.test(source)) {
      return failed(entry, {
        message: "it imports by a pattern, or has the bundler's own name `__glob` in it",
        file: entry.path,
      });
    }
    const map = outputFiles.find(({ path }) => path.endsWith(".map"))?.text ?? null;
    const maxBytes = maps ? compileLimits.mapBytes : compileLimits.placeMapBytes;
    const small = map !== null && Buffer.byteLength(map) <= maxBytes;
    return { name: entry.name, ok: true, source, map: small ? map : null, modules: reader.modules(metafile) };
  } catch (error) {
    const message = (error as Partial<BuildFailure>).errors?.[0];
    return message ? failed(entry, failureOf(reader.inSource(message), entry)) : null;
  }
}

function failed({ name }: CompileEntry, failure: CompileFailure): CompileAnswer {
  return { name, ok: false, failure };
}

/** The files of one program: resolves, reads, counts. */
class ProgramFiles {
  readonly #files: MountedFiles;
  readonly #resolver: ImportResolver;
  readonly #entry: string;
  readonly #maps: boolean;
  readonly #found = new Map<string, Resolved>();
  /** Files whose text was rewritten before esbuild saw it, by the name used in messages. */
  readonly #derived = new Map<string, Derived>();
  #bytes = 0;
  #count = 0;
  #imports = 0;
  readonly #limiter = new ConcurrencyLimiter(16);
  #refused = false;

  constructor(files: MountedFiles, resolver: ImportResolver, entry: string, maps: boolean) {
    this.#files = files;
    this.#resolver = resolver;
    this.#entry = entry;
    this.#maps = maps;
  }

  plugin(): Plugin {
    return {
      name: "hookwarden-pack",
      setup: (setup) => {
        setup.onResolve({ filter: /.*/ }, async (args) => {
          if (args.kind === "entry-point") return this.#accept({ path: this.#entry, sideEffects: true });
          // It rejects inside the guest, as a host without a loader does.
          if (args.kind === "dynamic-import") return { path: args.path, external: true };
          return this.#limiter.run(() => this.#resolve(args));
        });
        setup.onLoad({ filter: /.*/ }, async ({ path, namespace }) =>
          this.#load(this.#place(namespace, path)),
        );
      },
    };
  }

  /** Maps an error in a rewritten text back to its position in the original file. */
  inSource(message: Message): Message {
    const derived = this.#derived.get(message.location?.file ?? "");
    if (!derived || !message.location) return message;
    return { ...message, location: { ...message.location, ...originalPlace(message.location, derived) } };
  }

  modules(metafile: Metafile): readonly CompiledModule[] {
    const inputs =
      Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined)?.inputs ?? {};
    return Object.entries(inputs).map(([path, { bytesInOutput }]) => {
      const colon = path.indexOf(":");
      const found = this.#found.get(this.#place(path.slice(0, colon), path.slice(colon + 1)));
      return {
        path,
        ...(found?.package === undefined ? {} : { package: found.package }),
        ...(found?.version === undefined ? {} : { version: found.version }),
        ...(found?.licence === undefined ? {} : { licence: found.licence }),
        bytes: bytesInOutput,
      };
    });
  }

  async #resolve({ path, kind, importer, namespace }: OnResolveArgs): Promise<OnResolveResult | undefined> {
    // One error is enough: the program is refused for it. There may be 100,000 more, each with its line in the message.
    if (this.#refused) return { path, external: true };
    if (++this.#imports > compileLimits.imports) {
      return this.#refuse(`a program has at most ${compileLimits.imports} imports`);
    }
    const required = kind === "require-call" || kind === "require-resolve";
    const folder = posix.dirname(this.#place(namespace, importer));
    const result = await this.#resolver.resolve(path, folder, required ? "require" : "import");
    if (result.ok) return this.#accept(result.found);
    // esbuild lets a `require` inside `try` fail when it runs. It has no folder to look in by itself.
    const named = /^[@a-z][\w@./-]*$/i.test(path) && !path.includes("..");
    if (kind === "require-call" && named) return undefined;
    return this.#refuse(result.problem);
  }

  #refuse(text: string): { errors: PartialMessage[] } {
    this.#refused = true;
    return problem(text);
  }

  #accept(found: Resolved): { path: string; namespace: string; sideEffects: boolean } {
    this.#found.set(found.path, found);
    const [, namespace = "", ...rest] = this.#resolver.shown(found.path).split("/");
    return { namespace, path: rest.join("/"), sideEffects: found.sideEffects };
  }

  /** The place in the tree of files of what the bundler calls by namespace and path. */
  #place(namespace: string, path: string): string {
    return this.#resolver.hidden(`/${namespace}/${path}`);
  }

  async #load(path: string): Promise<{ contents: string; loader: Loader } | { errors: PartialMessage[] }> {
    const loader = loaders.get(posix.extname(path));
    if (!loader) return problem("a hook can import JavaScript, TypeScript and JSON files only");
    const ofPackage = path.startsWith("/modules/") || path.startsWith("/pack/node_modules/");
    try {
      const bytes = await this.#files.read(
        path,
        ofPackage ? compileLimits.moduleBytes : compileLimits.sourceBytes,
      );
      this.#bytes += bytes.byteLength;
      if (++this.#count > compileLimits.files) {
        return problem(`a program has at most ${compileLimits.files} files`);
      }
      if (this.#bytes > compileLimits.inputBytes) {
        return problem(`the files of a program have at most ${compileLimits.inputBytes} bytes together`);
      }
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return loader === "json" ? { contents: text, loader } : await this.#script(text, loader, path);
    } catch (error) {
      return loadProblem(error, this.#label(path));
    }
  }

  /** A script as the bundler may see it: it follows some things in a script by itself, without asking a plugin. */
  async #script(text: string, loader: Loader, path: string): Promise<{ contents: string; loader: Loader }> {
    if (mayImportAtRunTime(text)) {
      const { source, map } = await hideRunTimeImports(text, loader, this.#label(path));
      this.#derived.set(this.#label(path), { original: text, map });
      const url = this.#maps ? mapComment(map) : "";
      return { contents: source + url, loader: "js" };
    }
    // It opens the file that such a comment names. The last one counts, and this one is empty.
    const contents = text.includes("sourceMappingURL") ? text + mapComment("{}") : text;
    return { contents, loader };
  }

  /** A file as messages of the bundler name it. */
  #label(path: string): string {
    return this.#resolver.shown(path).replace(/^\/([^/]+)\//, "$1:");
  }
}

function mapComment(map: string): string {
  return `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}`;
}

/** What is wrong with a file, for the bundler to report. */
function loadProblem(error: unknown, file: string): { errors: PartialMessage[] } {
  const messages = (error as Partial<BuildFailure>).errors;
  if (messages) {
    return {
      errors: messages.map(({ text, location }) => ({ text, location: location && { ...location, file } })),
    };
  }
  if (error instanceof HookwardenError || error instanceof SyntaxError) return problem(error.message);
  if (error instanceof TypeError) return problem("the file is not valid UTF-8");
  throw error;
}

function problem(text: string): { errors: PartialMessage[] } {
  return { errors: [{ text }] };
}

function failureOf({ text, location }: Message, entry: CompileEntry): CompileFailure {
  if (!location) return { message: text, file: entry.path };
  const excerpt = location.lineText.trim().slice(0, compileLimits.excerpt);
  return {
    message: excerpt === "" ? text : `${text}, in ${quote(excerpt)}`,
    file: location.file.replace(/^pack:/, ""),
    line: location.line,
    column: columnOf(location.lineText, location.column),
  };
}

/** esbuild counts columns in bytes from 0. */
function columnOf(line: string, bytes: number): number {
  return Buffer.from(line, "utf8").subarray(0, bytes).toString("utf8").length + 1;
}
