import { randomBytes } from "node:crypto";
import { originalPositionFor, type SourceMapInput, TraceMap } from "@jridgewell/trace-mapping";
import { type ExportNamedDeclaration, parse } from "acorn";
import type { FileCoverageData } from "istanbul-lib-coverage";
import { createInstrumenter, type InstrumenterOptions } from "istanbul-lib-instrument";
import type { Program } from "@hookwarden/sandbox";
import { HookwardenError } from "hookwarden/errors";
import { sha256 } from "hookwarden/files";
import type { CompiledScript } from "hookwarden/compile";

/** A program that counts what runs of it, and answers with its counts. */
export interface Instrumented {
  readonly program: Program;
  /** Every statement, function and branch with a count of zero, and the map to the sources. */
  readonly zero: FileCoverageData;
}

/** What of a program is counted. */
export interface CountedSources {
  /** How the program is called in the map of coverage. */
  readonly path: string;
  /** The program's source map. */
  readonly map: SourceMapInput;
  /** Whether a source in that map is counted. */
  readonly counts: (source: string) => boolean;
}

/**
 * Makes the counting twin of a program. Each of its functions calls the original one, drops what that returns or
 * throws, and answers with one text: the counts of statements, functions and branches in the order of `zero`, joined by
 * commas. So nothing that a hook returns can be taken for counts.
 */
export function instrument({ program }: CompiledScript, { path, map, counts }: CountedSources): Instrumented {
  // Hooks cannot know the name under which the counts lie.
  const variable = `__counts_${randomBytes(12).toString("hex")}`;
  const options: Partial<InstrumenterOptions> & {
    coverageGlobalScope: string;
    coverageGlobalScopeFunc: boolean;
  } = {
    coverageVariable: variable,
    coverageGlobalScope: "globalThis",
    coverageGlobalScopeFunc: false,
    esModules: true,
    compact: false,
    produceSourceMap: false,
  };
  const instrumenter = createInstrumenter(options);
  // The package takes a version 3 map as an object; its types name another package's class.
  const source = instrumenter.instrumentSync(
    withoutStrangers(program.source, map, counts),
    path,
    map as never,
  );
  const zero = instrumenter.lastFileCoverage() as FileCoverageData;
  const reader = /function (cov_\w+)\(\)/.exec(source)?.[1];
  if (reader === undefined) throw new HookwardenError("internal", "the instrumented program has no counts");
  const counting = withCounts(source, reader);
  return { program: { key: sha256(counting), name: program.name, source: counting }, zero };
}

/**
 * Marks what came from elsewhere, such as the npm packages that a hook imports, as not to be counted: that is often most
 * of a program. The marks stand on lines that then move to the right, which has no effect: nothing of these lines is
 * mapped back.
 */
function withoutStrangers(source: string, map: SourceMapInput, counts: CountedSources["counts"]): string {
  const traced = new TraceMap(map);
  const { body } = parse(source, { ecmaVersion: "latest", sourceType: "module", locations: true });
  let text = "";
  let last = 0;
  for (const { start, loc } of body) {
    const from = loc && originalPositionFor(traced, loc.start).source;
    if (from === null || from === undefined || counts(from)) continue;
    text += `${source.slice(last, start)}/* istanbul ignore next */ `;
    last = start;
  }
  return text + source.slice(last);
}

/** Puts the counting functions in the place of the default export. */
function withCounts(source: string, reader: string): string {
  const { text, name } = withoutDefault(source);
  // What the counts are read with is taken before the hook can change it.
  const head = `const $keys$ = Object.keys, $define$ = Object.defineProperty;
const $read$ = () => {
  const { s, f, b } = ${reader}();
  let text = "";
  for (const part of [s, f]) { const keys = $keys$(part); for (let i = 0; i < keys.length; i++) text += part[keys[i]] + ","; }
  const keys = $keys$(b);
  for (let i = 0; i < keys.length; i++) { const way = b[keys[i]]; for (let j = 0; j < way.length; j++) text += way[j] + ","; }
  return text;
};
const $counting$ = (call) => async (event, context) => { try { await call(event, context); } catch {} return $read$(); };
const $exported$ = (given) => {
  if (typeof given === "function") return $counting$(given);
  const out = {};
  const keys = $keys$(given ?? {});
  for (let i = 0; i < keys.length; i++) {
    const call = given[keys[i]];
    if (typeof call === "function") $define$(out, keys[i], { value: $counting$(call), enumerable: true });
  }
  return out;
};
`;
  return `${head}${text}\nexport default $exported$(${name});\n`;
}

/** The bundler exports one local name as `default`, in a list: the program without that list, and the name. */
function withoutDefault(source: string): { text: string; name: string } {
  const { body } = parse(source, { ecmaVersion: "latest", sourceType: "module" });
  for (const node of body) {
    if (node.type !== "ExportNamedDeclaration") continue;
    const name = defaultOf(node);
    if (name !== null) return { text: source.slice(0, node.start) + source.slice(node.end), name };
  }
  throw new HookwardenError("load-failed", "the script has no default export");
}

function defaultOf({ specifiers }: ExportNamedDeclaration): string | null {
  for (const { local, exported } of specifiers) {
    const is = exported.type === "Identifier" ? exported.name : exported.value;
    if (is === "default" && local.type === "Identifier") return local.name;
  }
  return null;
}
