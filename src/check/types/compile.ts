import { realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import type ts from "typescript";
import { guestGlobals } from "./guest-globals.ts";
import type { TypeProblem, TypesJob } from "./protocol.ts";

/** Most problems that are reported for one pack. */
const maxProblems = 500;
/** Longest message, in UTF-16 code units. */
const maxMessageLength = 400;

/**
 * What the compiler says and the loader does not mind: packages without types (7016), and what the loader itself
 * answers for better, a module that is not there (2307).
 */
const ignored = new Set([7016, 2307]);

/** Checks the types of a pack's scripts, strictly, and with fixed settings. */
export function compile(compiler: typeof ts, job: TypesJob): readonly TypeProblem[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    target: compiler.ScriptTarget.ESNext,
    module: compiler.ModuleKind.ESNext,
    moduleResolution: compiler.ModuleResolutionKind.Bundler,
    moduleDetection: compiler.ModuleDetectionKind.Force,
    lib: ["lib.esnext.d.ts"],
    types: [],
    typeRoots: [],
    allowJs: true,
    checkJs: false,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noErrorTruncation: false,
  };
  const guest = join(job.root, "\0guest.d.ts");
  const host = hostOf(compiler, options, job, new Map([[guest, guestGlobals]]));
  const program = compiler.createProgram({
    rootNames: [...job.scripts.map((path) => join(job.root, path)), guest],
    options,
    host,
  });
  // A script that was not read has no problems either.
  const unread = job.scripts.find((path) => !program.getSourceFile(join(job.root, path)));
  if (unread !== undefined) throw new Error(`${unread} was not read`);
  const problems: TypeProblem[] = [];
  for (const { file, start, code, messageText } of compiler.getPreEmitDiagnostics(program)) {
    const path = file && inPack(file.fileName, job.root);
    if (!file || path === null || path === undefined || ignored.has(code)) continue;
    const { line, character } = file.getLineAndCharacterOfPosition(start ?? 0);
    const text = compiler.flattenDiagnosticMessageText(messageText, " ").replaceAll(/\s+/g, " ");
    problems.push({
      file: path,
      line: line + 1,
      column: character + 1,
      number: code,
      message: text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text,
    });
    if (problems.length >= maxProblems) break;
  }
  return problems;
}

/** Path of a file of the pack's own, from the root; `null` for packages and for what is not in the pack. */
function inPack(file: string, root: string): string | null {
  const path = resolve(file);
  if (!path.startsWith(root + sep)) return null;
  const inside = path.slice(root.length + 1).replaceAll(sep, "/");
  return /(?:^|\/)node_modules\//.test(inside) || inside.startsWith("\0") ? null : inside;
}

/** A host that shows the compiler the pack, its packages, our helpers and the compiler's own libraries, and no more. */
function hostOf(
  compiler: typeof ts,
  options: ts.CompilerOptions,
  { compiler: compilerFile, root, moduleFolders, helpers }: TypesJob,
  extra: ReadonlyMap<string, string>,
): ts.CompilerHost {
  const base = compiler.createCompilerHost(options, true);
  // Our own types are a handful of files of our own package, wherever that lies.
  const named = [root, ...moduleFolders, dirname(compilerFile), dirname(dirname(helpers))].map((path) =>
    resolve(path),
  );
  const roots = named.map(real);
  const within = (place: string, folders: readonly string[]): boolean =>
    folders.some((folder) => place === folder || place.startsWith(folder + sep));
  // Of paths outside the disk is not even asked.
  const visible = (path: string): boolean =>
    within(resolve(path), [...named, ...roots]) && within(real(path), roots);
  const libraries = dirname(compilerFile);
  const host: ts.CompilerHost = {
    ...base,
    getDefaultLibLocation: () => libraries,
    getDefaultLibFileName: () => join(libraries, "lib.esnext.d.ts"),
    getCurrentDirectory: () => root,
    fileExists: (path) => extra.has(path) || (visible(path) && base.fileExists(path)),
    readFile: (path) => extra.get(path) ?? (visible(path) ? base.readFile(path) : undefined),
    directoryExists: (path) => visible(path) && (base.directoryExists?.(path) ?? true),
    getDirectories: () => [],
    getSourceFile: (path, languageVersion) => {
      const text = host.readFile(path);
      return text === undefined ? undefined : compiler.createSourceFile(path, text, languageVersion, true);
    },
    resolveModuleNameLiterals: (literals, containing) =>
      literals.map(({ text }) => {
        if (text === "hookwarden/hook") {
          return { resolvedModule: { resolvedFileName: helpers, extension: extensionOf(compiler, helpers) } };
        }
        const direct = compiler.resolveModuleName(text, containing, options, host);
        if (direct.resolvedModule || text.startsWith(".")) return direct;
        for (const folder of moduleFolders) {
          const found = compiler.resolveModuleName(text, join(dirname(folder), "any.ts"), options, host);
          if (found.resolvedModule) return found;
        }
        return direct;
      }),
  };
  return host;
}

function extensionOf(compiler: typeof ts, file: string): ts.Extension {
  return file.endsWith(".d.ts") ? compiler.Extension.Dts : compiler.Extension.Ts;
}

/** The real path of what there is, and of the folder it would be in where there is nothing. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(real(parent), path.slice(parent.length));
  }
}
