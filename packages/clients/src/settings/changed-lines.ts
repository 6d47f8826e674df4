/** Lines around a change that are shown with it. */
const context = 2;

/** One line of a comparison. */
export interface ChangedLine {
  readonly kind: "same" | "gone" | "new" | "gap";
  readonly text: string;
}

/** What has changed from one text to another, line by line, with a few lines around each change. */
export function changedLines(before: string, after: string): ChangedLine[] {
  const lines = compare(linesOf(before), linesOf(after));
  const shown = new Set<number>();
  for (const [index, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let near = index - context; near <= index + context; near++) shown.add(near);
  }
  const result: ChangedLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (shown.has(index)) result.push(line);
    else if (result.at(-1)?.kind !== "gap") result.push({ kind: "gap", text: "" });
  }
  return result.filter(({ kind }, index) => kind !== "gap" || (index > 0 && index < result.length - 1));
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function compare(before: readonly string[], after: readonly string[]): ChangedLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end++;
  }
  const same = (text: string): ChangedLine => ({ kind: "same", text });
  return [
    ...before.slice(0, start).map(same),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** By the longest common subsequence; the middle of a settings file is small. */
function middle(before: readonly string[], after: readonly string[]): ChangedLine[] {
  const width = after.length + 1;
  // A file of that size is shown as replaced, rather than compared in quadratic time.
  const table = before.length * width > 4_000_000 ? null : new Uint32Array((before.length + 1) * width);
  const at = (one: number, other: number): number => table?.[one * width + other] ?? 0;
  if (table) {
    for (let one = before.length - 1; one >= 0; one--) {
      for (let other = after.length - 1; other >= 0; other--) {
        table[one * width + other] =
          before[one] === after[other]
            ? at(one + 1, other + 1) + 1
            : Math.max(at(one + 1, other), at(one, other + 1));
      }
    }
  }
  const result: ChangedLine[] = [];
  for (let one = 0, other = 0; one < before.length || other < after.length;) {
    const [old, young] = [before[one], after[other]];
    if (table && old !== undefined && old === young) {
      result.push({ kind: "same", text: old });
      one++;
      other++;
    } else if (old !== undefined && (young === undefined || at(one + 1, other) >= at(one, other + 1))) {
      result.push({ kind: "gone", text: old });
      one++;
    } else {
      result.push({ kind: "new", text: young as string });
      other++;
    }
  }
  return result;
}
