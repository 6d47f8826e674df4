import { catalogueFields } from "hookwarden/catalogue";
import { factRows } from "hookwarden/facts";

type Fields = { readonly [field: string]: unknown };

/** A text or a number in an event, with where it stands. */
export interface Leaf {
  readonly path: readonly string[];
  readonly value: string | number;
}

/** Fields that say which event it is and when: changing them makes another event, not a neighbour. */
const fixed: ReadonlySet<string> = new Set(["hook_event_name", "session_id", "time"]);
/** Most texts and numbers of one event that are worked on. */
const maxLeaves = 24;

/** The texts and numbers of an event that read paths cover, longest texts last: short ones are names and commands. */
export function leavesOf(fields: Fields, reads: readonly string[]): readonly Leaf[] {
  const found = new Map<string, Leaf>();
  for (const path of readPaths(fields, reads)) {
    if (!fixed.has(path[0] as string)) collect(valueAt(fields, path), path, found);
  }
  return [...found.values()].sort((a, b) => String(a.value).length - String(b.value).length);
}

/**
 * The paths of an event that read paths cover, split into segments. `*` covers every field of the catalogue, and a fact
 * the fields that it is derived from.
 */
export function readPaths(fields: Fields, reads: readonly string[]): readonly (readonly string[])[] {
  const plain = reads.flatMap((read) => {
    if (read === "*") return catalogueFields(String(fields["hook_event_name"]));
    return read.split(".")[0] === "facts" ? [] : [read];
  });
  const behind = fieldsOfFacts(reads.map((read) => read.split(".")));
  return [...new Set([...plain, ...behind])].map((path) => path.split("."));
}

/** The fields that the facts among some paths are derived from: who writes those decides what the facts say. */
export function fieldsOfFacts(paths: readonly (readonly string[])[]): readonly string[] {
  const rows = paths.flatMap(([first, name]) =>
    first === "facts" ? (name === undefined ? [...factRows.values()] : [factRows.get(name)]) : [],
  );
  return [...new Set(rows.flatMap((row) => row?.from ?? []))];
}

/** The event with another value at a path; without the field where the value is `undefined`. */
export function withValue(fields: Fields, path: readonly string[], value: unknown): Fields {
  const copy = structuredClone(fields) as Record<string, unknown>;
  let at: Record<string, unknown> = copy;
  for (const segment of path.slice(0, -1)) {
    const next = Object.hasOwn(at, segment) ? at[segment] : undefined;
    if (typeof next === "object" && next !== null) at = next as Record<string, unknown>;
    else at = at[segment] = {};
  }
  const last = path.at(-1) as string;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

/** The value at a path of own properties; `undefined` where there is none. */
export function valueAt(fields: unknown, path: readonly string[]): unknown {
  let value = fields;
  for (const segment of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, segment)) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

function collect(value: unknown, path: readonly string[], found: Map<string, Leaf>): void {
  if (found.size >= maxLeaves) return;
  if (typeof value === "string" || typeof value === "number")
    found.set(JSON.stringify(path), { path, value });
  else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) collect(member, [...path, key], found);
  }
}
