import { parser } from "@lezer/javascript";
import { parse, type Program as Syntax } from "acorn";
import { ancestor } from "acorn-walk";
import { transform } from "sucrase";
import { quote } from "@hookwarden/sandbox/json";
import type { Program } from "@hookwarden/sandbox";
import { HookwardenError } from "hookwarden/errors";
import { sha256 } from "hookwarden/files";

/** What scripts are read as by the end of their names; JSON is data. */
const scripts = /\.[cm]?[jt]s$/;
const typed = /\.[cm]?ts$/;
/** Tried in this order where an import names no file as it stands. */
const endings: readonly string[] = ["", ".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"];
/** Most files of one program. */
const maxFiles = 500;

/** What a program is made of. */
export interface ProgramParts {
  /** Name of the hook. */
  readonly name: string;
  /** Path of its script. */
  readonly entry: string;
  /** The pack's files, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** What may be imported by name, as CommonJS. */
  readonly packages: ReadonlyMap<string, string>;
}

/**
 * Makes one program of a script and all that it imports, in a browser: takes the types away, turns imports into calls,
 * and puts the files behind each other. What the command line does with a bundler comes to the same decisions; the
 * count of steps may differ a little, since the text of the program does.
 *
 * @throws {HookwardenError} `load-failed` with file, line and column.
 */
export function linkProgram(parts: ProgramParts): Program {
  const linker = new Linker(parts);
  linker.add(parts.entry);
  const source = `const modules = new Map([\n${linker.modules.join(",\n")}\n]);
const loaded = new Map();
const load = (path) => {
  let module = loaded.get(path);
  if (!module) {
    const { imports, run } = modules.get(path);
    module = { exports: {} };
    loaded.set(path, module);
    run(module, module.exports, (specifier) => load(imports.get(specifier)));
  }
  return module.exports;
};
export default load(${JSON.stringify(parts.entry)}).default;
`;
  return { key: sha256(source), name: parts.name, source };
}

class Linker {
  readonly modules: string[] = [];
  readonly #parts: ProgramParts;
  readonly #seen = new Set<string>();

  constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  add(path: string): void {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    if (this.#seen.size > maxFiles) throw this.#failed(`it has more than ${maxFiles} files`, path);
    const text = this.#parts.files.get(path);
    if (text === undefined) throw this.#failed("the file is missing", path);
    if (path.endsWith(".json")) this.#put(path, asModule(this.#json(path, text)), {});
    else if (scripts.test(path)) this.#addScript(path, text);
    else throw this.#failed("it is neither a script nor JSON", path);
  }

  #addScript(path: string, text: string): void {
    const plain = this.#compile(path, text, []);
    const imports = this.#imports(path, plain).map((specifier) => [
      specifier,
      this.#resolve(specifier, path),
    ]);
    this.#put(path, this.#compile(path, text, ["imports"]), Object.fromEntries(imports));
  }

  #compile(path: string, text: string, more: readonly "imports"[]): string {
    try {
      return transform(text, {
        transforms: typed.test(path) ? ["typescript", ...more] : [...more],
        disableESTransforms: true,
        preserveDynamicImport: true,
        filePath: path,
      }).code;
    } catch (error) {
      throw this.#syntax(path, error, text);
    }
  }

  /** What a module imports, types not counted. A second parser reads it: the one that takes types away is lenient. */
  #imports(path: string, code: string): readonly string[] {
    let program;
    try {
      program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
    } catch (error) {
      throw this.#syntax(path, error, code);
    }
    const awaited = topLevelAwait(program);
    if (awaited !== null) {
      throw this.#failed(
        "in a page, a script cannot `await` at its top level",
        path,
        positionOf(code, awaited),
      );
    }
    const found = program.body.flatMap((node) =>
      "source" in node && node.source ? [String(node.source.value)] : [],
    );
    return [...new Set(found)];
  }

  #syntax(path: string, error: unknown, text: string): HookwardenError {
    const { loc } = error as { loc?: { line: number; column: number } };
    const message = error instanceof Error ? error.message : String(error);
    const words = message.replace(/^Error transforming [^:]*: /, "").replace(/ \(\d+:\d+\)$/, "");
    return this.#failed(words, path, firstError(text, typed.test(path)) ?? loc);
  }

  /** Where an import leads: a file of the pack, or a package. */
  #resolve(specifier: string, from: string): string {
    if (specifier.startsWith(".")) {
      const base = join(from.split("/").slice(0, -1), specifier);
      const candidates = base === null ? [] : endings.map((ending) => base + ending);
      // TypeScript's habit: the import names the file that it will be.
      if (base !== null) candidates.push(base.replace(/\.([cm]?)js$/, ".$1ts"));
      const found = candidates.find((path) => this.#parts.files.has(path));
      if (found === undefined)
        throw this.#failed(`it imports ${quote(specifier)}, and there is no such file`, from);
      this.add(found);
      return found;
    }
    const text = this.#parts.packages.get(specifier);
    if (text === undefined) {
      const known = [...this.#parts.packages.keys()].map(quote).join(", ");
      throw this.#failed(`it imports ${quote(specifier)}; a page has no packages but ${known}`, from);
    }
    const name = `package:${specifier}`;
    if (!this.#seen.has(name)) {
      this.#seen.add(name);
      this.#put(name, text, {});
    }
    return name;
  }

  #json(path: string, text: string): string {
    try {
      return JSON.stringify(JSON.parse(text));
    } catch {
      throw this.#failed("it is not JSON", path);
    }
  }

  #put(path: string, code: string, imports: { readonly [specifier: string]: string }): void {
    this.modules.push(
      `[${JSON.stringify(path)}, { imports: new Map(${JSON.stringify(Object.entries(imports))}), run(module, exports, require) {\n${code}\n} }]`,
    );
  }

  #failed(message: string, file: string, loc?: { line: number; column: number }): HookwardenError {
    return new HookwardenError(
      "load-failed",
      `the script of ${quote(this.#parts.name)} was not bundled: ${message}`,
      { file, ...(loc === undefined ? {} : { line: loc.line, column: loc.column }) },
    );
  }
}

/**
 * Where a text stops being a script, as an editor's parser sees it. The one that takes types away tries things out, and
 * may say where its last try began.
 */
function firstError(text: string, typescript: boolean): { line: number; column: number } | null {
  const tree = (typescript ? parser.configure({ dialect: "ts" }) : parser).parse(text);
  let at: number | null = null;
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) at ??= from;
      return at === null;
    },
  });
  return at === null ? null : positionOf(text, at);
}

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") };
}

/** Where a script first waits outside of any function, which files that became functions cannot do. */
function topLevelAwait(program: Syntax): number | null {
  let at: number | null = null;
  const found = (start: number, ancestors: readonly { readonly type: string }[]): void => {
    if (!ancestors.some(({ type }) => type.includes("Function"))) at ??= start;
  };
  ancestor(program, {
    AwaitExpression: ({ start }, _, ancestors) => found(start, ancestors),
    ForOfStatement: ({ start, await: waits }, _, ancestors) => {
      if (waits) found(start, ancestors);
    },
  });
  return at;
}

/** Data as a module: whole as its default, and its members by name. */
function asModule(json: string): string {
  return `const value = ${json};\nmodule.exports = Object.assign({}, value, { __esModule: true, default: value });`;
}

/** Joins a folder and a relative path; `null` where it leaves the pack. */
function join(folder: readonly string[], path: string): string | null {
  const parts = [...folder];
  for (const part of path.split("/")) {
    if (part === "." || part === "") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}
