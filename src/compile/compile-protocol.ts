/** Protocol between the parent and the compile child: one JSON text to the child, one line per hook back. */

/** Limits of compiled scripts. The files are untrusted. */
export const compileLimits = {
  /** Largest script or JSON file of a pack, in bytes. */
  sourceBytes: 1_048_576,
  /** Largest file of an npm package, in bytes. */
  moduleBytes: 5_242_880,
  /** Largest program, in bytes of UTF-8. */
  programBytes: 5_242_880,
  /** Largest source map with the texts of the sources, in bytes of UTF-8; a larger one is left out. */
  mapBytes: 20_971_520,
  /** Largest source map without them, in bytes of UTF-8; a larger one is left out, and faults have no place then. */
  placeMapBytes: 524_288,
  /** Most files of one program. */
  files: 2_000,
  /** Most imports in all of them. */
  imports: 20_000,
  /** Most bytes of all files of one program. */
  inputBytes: 33_554_432,
  /** Most bytes that the child may answer. */
  answerBytes: 268_435_456,
  /** Most characters of a line of source in a message. */
  excerpt: 200,
} as const;

export interface CompileEntry {
  readonly name: string;
  /** Path of the script, from the root of the pack. */
  readonly path: string;
}

export interface CompileJob {
  /** Real path of the pack, or its files in base64 by relative path. */
  readonly pack: string | { readonly [path: string]: string };
  /** Real paths of the folders that packages may be loaded from, in addition to the pack's own `node_modules`. */
  readonly nodeModules: readonly string[];
  readonly entries: readonly CompileEntry[];
  /** Whether the maps carry the texts of the sources. */
  readonly maps: boolean;
}

/** A file that went into a program. */
export interface CompiledModule {
  /** Where it is: `pack:` and a path of the pack, `modules:` and a path of a package, or `hookwarden:` for our helpers. */
  readonly path: string;
  /** Its package, where it belongs to one. */
  readonly package?: string;
  readonly version?: string;
  /** The licence that its package declares; not verified. */
  readonly licence?: string;
  /** What is left of it in the program, in bytes. */
  readonly bytes: number;
}

export interface CompileFailure {
  readonly message: string;
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

export type CompileAnswer =
  | {
      readonly name: string;
      readonly ok: true;
      readonly source: string;
      readonly map: string | null;
      readonly modules: readonly CompiledModule[];
    }
  | { readonly name: string; readonly ok: false; readonly failure: CompileFailure };
