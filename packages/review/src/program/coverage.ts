import type { Recording } from "../instrumented/recording.ts";

/** What the instrumented runs have reached together. */
export class Coverage {
  readonly branches = new Set<number>();
  #atoms: number[] = [];

  add({ cover, atoms }: Recording): void {
    for (const branch of cover) this.branches.add(branch);
    for (let at = 0; at < atoms.length; at++) this.#atoms[at] = (this.#atoms[at] ?? 0) | Number(atoms[at]);
  }

  /** 0: the condition was not reached; 1: it was always true; 2: always false; 3: both. */
  truthOf(atom: number): number {
    return this.#atoms[atom] ?? 0;
  }
}
