import type { Program } from "../contract.ts";
import type { Fault } from "../fault.ts";
import type { Limits } from "../limits.ts";
import { SlowLoads } from "../slow-loads.ts";
import type { Load, LoadedProgram } from "./raw-result.ts";

/** The outcome of loading a program. */
export type Loaded =
  | { readonly ok: true; readonly program: LoadedProgram }
  | {
      readonly ok: false;
      readonly fault: Fault;
      /** Usage of the failed load; reported for every call that fails because of it. */
      readonly steps: number;
      readonly memoryBytes: number;
    };

/** Outcomes of loads, by program, memory and stack: an image is made for one size. */
export class LoadedPrograms {
  readonly #slowLoads = new SlowLoads();
  readonly #programs = new Map<string, Map<string, Loaded>>();
  #last: { readonly key: string; readonly limits: Limits; readonly loaded: Loaded } | null = null;

  /**
   * The outcome of a load that is not needed or not due yet; `null` if the program has to be loaded.
   *
   * @param again whether to load a program again that ran out of time a moment ago
   */
  outcomeOf(load: Load, again: boolean): Loaded | null {
    const known = this.#known(load.program, load.limits);
    if (known) return known;
    const fault = again ? null : this.#slowLoads.recall(load);
    return fault && { ok: false, fault, steps: 0, memoryBytes: 0 };
  }

  remember(load: Load, loaded: Loaded): void {
    // A failure by the clock may not happen again; one by counting will.
    if (!loaded.ok && loaded.fault.code === "timeout") return this.#slowLoads.remember(load);
    const { program, limits } = load;
    const images = this.#programs.get(program.key);
    if (images) images.set(imageOf(limits), loaded);
    else this.#programs.set(program.key, new Map([[imageOf(limits), loaded]]));
  }

  forget(programKey: string): void {
    this.#programs.delete(programKey);
    this.#slowLoads.forget(programKey);
    if (this.#last?.key === programKey) this.#last = null;
  }

  clear(): void {
    this.#programs.clear();
    this.#last = null;
  }

  /** The cached result of loading a program with these limits, if any. */
  #known({ key }: Program, limits: Limits): Loaded | undefined {
    // Fast path: most calls have the same limits as the previous one, and frozen limits can be compared by identity.
    const last = this.#last;
    if (last !== null && last.key === key && last.limits === limits) return last.loaded;
    const loaded = this.#programs.get(key)?.get(imageOf(limits));
    if (loaded && Object.isFrozen(limits)) this.#last = { key, limits, loaded };
    return loaded;
  }
}

/** The limits that an image depends on: memory and stack size, and those that are passed to the prelude. */
function imageOf({ memoryKb, stackKb, logBytes, outputBytes, outputDepth }: Limits): string {
  return `${memoryKb}/${stackKb}/${logBytes}/${outputBytes}/${outputDepth}`;
}
