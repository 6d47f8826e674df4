import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Position, Program } from "@hookwarden/sandbox";
import { pathProblem } from "../files/index.ts";

/** A program with the way back to its sources. The map stays on the host and is never passed to a sandbox. */
export interface MappedProgram extends Program {
  /** Source map (version 3) without the texts of the sources, as JSON text; absent or `null` where there is none. */
  readonly map?: string | null;
}

/** A place in a file of a pack, or of a package that it imports. Line and column from 1. */
export interface SourcePlace {
  /** Path from the root of the pack; `node_modules/…` for packages, `hookwarden/…` for the helpers. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What the bundler calls the roots of its files, and what people call them. */
const roots: ReadonlyMap<string, string> = new Map([
  ["pack", ""],
  ["modules", "node_modules/"],
  ["hookwarden", "hookwarden/"],
]);

/** Decoded maps take about ten times the size of their text, so only the most recently used are cached. */
const maxDecodedMaps = 16;
const decoded = new Map<MappedProgram, TraceMap | null>();

/**
 * Finds the place in the sources of a place in a program.
 *
 * The position is a claim of the guest's, so the map decides what it can name: a file that went into the program, and a
 * place in it that the bundler has recorded.
 *
 * @returns `null` where the program has no map, or the map has no entry for the position.
 */
export function sourcePlace(program: MappedProgram, { line, column }: Position): SourcePlace | null {
  try {
    const map = mapOf(program);
    if (!map) return null;
    const found = originalPositionFor(map, { line, column: column - 1 });
    const file = typeof found.source === "string" ? fileOf(found.source) : null;
    if (file === null || !((found.line ?? 0) >= 1) || !((found.column ?? -1) >= 0)) return null;
    return { file, line: found.line as number, column: (found.column as number) + 1 };
  } catch {
    // The map comes from the compile child or from a bundle: it may have been tampered with.
    return null;
  }
}

function mapOf(program: MappedProgram): TraceMap | null {
  let map = decoded.get(program);
  if (map === undefined) map = readMap(program.map);
  decoded.delete(program);
  decoded.set(program, map);
  const [oldest] = decoded.keys();
  if (decoded.size > maxDecodedMaps && oldest) decoded.delete(oldest);
  return map;
}

function readMap(text: string | null | undefined): TraceMap | null {
  if (typeof text !== "string") return null;
  const { version, sources, mappings } = JSON.parse(text) as { [member: string]: unknown };
  if (version !== 3 || typeof mappings !== "string" || !Array.isArray(sources)) return null;
  const names = sources.map((source) => (typeof source === "string" ? source : null));
  return new TraceMap({ version: 3, names: [], sources: names, mappings });
}

/** `pack:a/hook.ts` as `a/hook.ts`; `null` for anything but a plain relative path under a known root. */
function fileOf(source: string): string | null {
  const colon = source.indexOf(":");
  const root = roots.get(source.slice(0, colon));
  const path = source.slice(colon + 1);
  return root === undefined || pathProblem(path) ? null : root + path;
}
