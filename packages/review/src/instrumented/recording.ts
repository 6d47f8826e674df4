import { readJson } from "@hookwarden/sandbox/json";

/** How a path was read: its value, an object that was looked into, a question whether it is there, or its keys. */
export type ReadHow = "value" | "object" | "asked" | "listed";

export interface ReadRecord {
  /** `event` or `context`. */
  readonly of: "event" | "context";
  /** Keys from the root; `*` for every index of an array. */
  readonly path: readonly string[];
  readonly how: ReadHow;
  readonly present: boolean;
  readonly count: number;
}

export type Operand = string | number | boolean | null;

/** Two values that the program compared. */
export interface Comparison {
  /** Index into the sites of the watching program; 0 for built-in functions. */
  readonly site: number;
  /**
   * `==` for equality, `<` for order, `in` for a text and a part of it, `key` for a name that was looked up,
   * `of` for such a name and one that the object has, `re` for a text and a pattern.
   */
  readonly op: "==" | "<" | "in" | "key" | "of" | "re";
  /** The branch that was taken last. */
  readonly branch: number;
  readonly a: Operand;
  readonly b: Operand;
}

/** What a watching program saw in one call. */
export interface Recording {
  /** The answer as JSON text; `null` for none. */
  readonly output: string | null;
  readonly threw: boolean;
  /** The branches that were taken. */
  readonly cover: readonly number[];
  /** For each condition: 1 where it was true, 2 where it was false, 3 for both, 0 for none. */
  readonly atoms: string;
  readonly clock: number;
  readonly chance: number;
  readonly reads: readonly ReadRecord[];
  readonly pairs: readonly Comparison[];
}

const hows: ReadonlyMap<string, ReadHow> = new Map([
  ["v", "value"],
  ["o", "object"],
  ["a", "asked"],
  ["l", "listed"],
]);
const operations: ReadonlySet<string> = new Set(["==", "<", "in", "key", "of", "re"]);
const limits = { maxBytes: 8_388_608, maxDepth: 8, maxKeys: 64, maxKeyLength: 32 } as const;

/**
 * Reads what a watching program answered. The program is ours, the engine that ran it had a stranger's code in it: what
 * has not the exact form counts as lost.
 *
 * @returns `null` where it is no such answer.
 */
export function readRecording(output: string | null, branches: number, sites: number): Recording | null {
  if (output === null) return null;
  try {
    const text: unknown = JSON.parse(output);
    if (typeof text !== "string") return null;
    const reply = readJson(text, limits) as { readonly [member: string]: unknown };
    const { kind, output: answer, cover, atoms, clock, chance, reads, pairs } = reply;
    if (kind !== "value" && kind !== "threw") return null;
    if (answer !== null && typeof answer !== "string") return null;
    if (typeof cover !== "string" || !/^[01]*$/.test(cover)) return null;
    if (typeof clock !== "number" || typeof chance !== "number") return null;
    if (typeof atoms !== "string" || !/^[0-3]*$/.test(atoms)) return null;
    if (!Array.isArray(reads) || !Array.isArray(pairs)) return null;
    const readRecords = reads.map(readRecord);
    const comparisons = pairs.map((pair: unknown) => comparison(pair, sites));
    if (readRecords.includes(null) || comparisons.includes(null)) return null;
    return {
      output: answer,
      threw: kind === "threw",
      cover: Array.from({ length: branches }, (_, id) => id).filter((id) => cover[id] === "1"),
      atoms,
      clock,
      chance,
      reads: readRecords as ReadRecord[],
      pairs: comparisons as Comparison[],
    };
  } catch {
    return null;
  }
}

function readRecord(note: unknown): ReadRecord | null {
  if (!Array.isArray(note)) return null;
  const [key, count] = note as unknown[];
  if (typeof key !== "string" || typeof count !== "number") return null;
  const how = hows.get(key.slice(0, 1));
  const [root, ...path] = key.slice(2).split("\u0000");
  if (how === undefined || (root !== "e" && root !== "c")) return null;
  return { of: root === "e" ? "event" : "context", path, how, present: key[1] === "1", count };
}

function comparison(pair: unknown, sites: number): Comparison | null {
  if (!Array.isArray(pair)) return null;
  const [site, op, branch, a, b] = pair as unknown[];
  if (typeof site !== "number" || !(site >= 0 && site < sites) || typeof branch !== "number") return null;
  if (typeof op !== "string" || !operations.has(op)) return null;
  return { site, op: op as Comparison["op"], branch, a: a as Operand, b: b as Operand };
}
