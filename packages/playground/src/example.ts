import type { Completions } from "./completions.ts";
import type { Library } from "./protocol.ts";

/** Events that an example can be tried on, as a case of its hook has them. */
export interface ExampleCase {
  readonly name: string;
  readonly events: readonly { readonly [field: string]: unknown }[];
  /** The hook's state before the first event. */
  readonly state?: unknown;
  /** The hook's configuration, instead of the example's. */
  readonly config?: unknown;
}

/** A hook to start from: a small pack with it alone. */
export interface Example {
  /** Stands in links. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** In the list, examples with the same group stand together. */
  readonly group: string;
  readonly hook: string;
  /** The pack's files, by path. */
  readonly files: { readonly [path: string]: string };
  readonly cases: readonly ExampleCase[];
}

/** What the build puts into the page beside its code. */
export interface PageData {
  readonly version: string;
  readonly examples: readonly Example[];
  readonly library: Library;
  readonly completions: Completions;
  /** Source of the two workers. */
  readonly workers: { readonly broker: string; readonly engine: string };
}

export const packFile = "hookwarden.json";

/** The files of an example as a case wants them: with the case's own configuration where it has one. */
export function filesFor({ files, hook }: Example, given: ExampleCase): { readonly [path: string]: string } {
  if (!("config" in given)) return files;
  const pack = JSON.parse(files[packFile] ?? "{}") as object;
  return { ...files, [packFile]: jsonText({ ...pack, config: { [hook]: given.config } }) };
}

/** The events of a case as text: one as it is, several as a list. */
export function eventsText({ events }: ExampleCase): string {
  return jsonText(events.length === 1 ? events[0] : events);
}

export function stateText({ state }: ExampleCase): string {
  return state === undefined || state === null ? "" : jsonText(state);
}

/** JSON as people read it. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
