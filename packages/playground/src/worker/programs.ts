import type { Program } from "@hookwarden/sandbox";
import { sha256 } from "hookwarden/files";
import type { Library, ReadyProgram } from "../protocol.ts";
import { linkProgram } from "./link-program.ts";

/** A program, and whether it is one that was bundled when the page was built. */
export interface MadeProgram {
  readonly program: Program;
  readonly ready: boolean;
}

/** Makes programs of scripts, and knows those that were made before. */
export class Programs {
  /** By path of the script. */
  readonly #ready: ReadonlyMap<string, readonly ReadyProgram[]>;
  readonly #packages: ReadonlyMap<string, string>;
  #last = new Set<string>();

  constructor({ ready, packages }: Library) {
    this.#ready = Map.groupBy(ready, ({ entry }) => entry);
    this.#packages = new Map(Object.entries(packages));
  }

  /** @throws {HookwardenError} `load-failed` */
  programFor(name: string, entry: string, files: ReadonlyMap<string, string>): MadeProgram {
    const ready = this.#ready
      .get(entry)
      ?.find((program) => Object.entries(program.files).every(([path, text]) => files.get(path) === text));
    if (ready) {
      const { source } = ready;
      return { program: { key: sha256(source), name, source }, ready: true };
    }
    return { program: linkProgram({ name, entry, files, packages: this.#packages }), ready: false };
  }

  /** The keys of programs that were made before and are not among these. */
  keepOnly(made: readonly MadeProgram[]): readonly string[] {
    const now = new Set(made.map(({ program }) => program.key));
    const gone = [...this.#last].filter((key) => !now.has(key));
    this.#last = now;
    return gone;
  }
}
