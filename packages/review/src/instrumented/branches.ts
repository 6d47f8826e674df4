/** A way that the program can take, or not. */
export interface Branch {
  readonly kind:
    "then" | "else" | "case" | "and" | "or" | "nullish" | "loop" | "function" | "catch" | "choice";
  /** Where its code is, as offsets into the program. */
  readonly start: number;
  readonly end: number;
  /** Where its condition is; `null` where it has none. */
  readonly condition: readonly [number, number] | null;
  /** The branch around it; `null` for the top level. */
  readonly parent: number | null;
}

/** A comparison, or a property that is looked up under a name made at run time. */
export interface Site {
  readonly start: number;
  readonly end: number;
  /** Whether one of its operands is a number or a text of the program. */
  readonly literal: boolean;
}

/** A part of a condition, or a question, that is true or false by itself. */
export interface Atom {
  readonly start: number;
  readonly end: number;
}

/** Finds for each branch the innermost one around it. */
export function nested(branches: readonly Branch[]): readonly Branch[] {
  const order = [...branches.keys()].sort(
    (a, b) =>
      (branches[a] as Branch).start - (branches[b] as Branch).start ||
      (branches[b] as Branch).end - (branches[a] as Branch).end ||
      a - b,
  );
  const open: number[] = [];
  const parents = new Map<number, number | null>();
  for (const index of order) {
    const { start, end } = branches[index] as Branch;
    while (open.length > 0 && (branches[open.at(-1) as number] as Branch).end < end) open.pop();
    while (open.length > 0 && (branches[open.at(-1) as number] as Branch).end <= start) open.pop();
    parents.set(index, open.at(-1) ?? null);
    open.push(index);
  }
  return branches.map((branch, index) => ({ ...branch, parent: parents.get(index) ?? null }));
}
