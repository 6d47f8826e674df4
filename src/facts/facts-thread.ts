/** The thread that derives facts which may take long, so that the host's event loop does not wait for them. */
import { parentPort } from "node:worker_threads";
import { FactSet } from "./fact-set.ts";
import type { FactName } from "./table.ts";

/** What the thread is asked for. */
export interface FactTask {
  readonly id: number;
  readonly names: readonly FactName[];
  readonly fields: { readonly [field: string]: unknown };
}

/** What it answers: one for each task, in their order. */
export interface FactAnswer {
  readonly id: number;
  /** `null` if it failed. */
  readonly texts: readonly string[] | null;
}

parentPort?.on("message", ({ id, names, fields }: FactTask) => {
  let texts: readonly string[] | null = null;
  try {
    const set = new FactSet(fields);
    texts = names.map((name) => set.textOf(name));
  } catch {
    // The host treats it as a fact that came too late.
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, texts } satisfies FactAnswer);
});
