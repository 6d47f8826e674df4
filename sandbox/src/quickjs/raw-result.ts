import type { Call } from "../contract.ts";
import type { ProgramImage } from "./image.ts";
import { pageBytes } from "./module.ts";

/** What is asked of a program: to be loaded for a call, or for an inspection. */
export type Load = Pick<Call, "program" | "tenant" | "limits" | "budgetMs">;

/** A program as one memory image, ready to be written into any instance of its size. */
export interface LoadedProgram {
  readonly image: ProgramImage;
  /** Names of the handlers, `null` where one function serves all. */
  readonly handlers: readonly string[] | null;
  readonly stackBytes: number;
}

/** What happened in the engine, as the host saw it. */
export type RawResult =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "exception"; readonly message: string; readonly stack?: string }
  | { readonly kind: "too-large" }
  | { readonly kind: "unsettled" }
  | { readonly kind: "stopped"; readonly by: "steps" | "wall" }
  | { readonly kind: "refused-memory" }
  | { readonly kind: "overflow" }
  | { readonly kind: "trap" };

/** What calls need beyond their text. */
export interface Bounds {
  readonly steps: number;
  /** In `performance.now()` milliseconds. */
  readonly deadline: number;
  readonly maxReplyBytes: number;
}

/** Size of memory, in pages, that a program with this limit needs: room for the engine and the program, and the call. */
export function pagesFor(memoryKb: number): number {
  const needed = memoryKb * 1_024 + 7.5 * 1_048_576;
  let pages = 256;
  while (pages * pageBytes < needed) pages *= 2;
  return pages;
}
