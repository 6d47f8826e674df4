import { factRows } from "hookwarden/facts";

/** The fields that the facts among some paths are derived from. */
export function fieldsOfFacts(paths: readonly (readonly string[])[]): readonly string[] {
  const fields = paths.flatMap(([first, name]) =>
    first === "facts" ? (name === undefined ? [...factRows.values()] : [factRows.get(name)]) : [],
  );
  return [...new Set(fields.flatMap((row) => row?.from ?? []))];
}

/** The declared reads, and the fields that a hook sees through facts: who writes those decides what the facts say. */
export function seenThrough(reads: readonly string[]): readonly string[] {
  return [...new Set([...reads, ...fieldsOfFacts(reads.map((read) => read.split(".")))])];
}
