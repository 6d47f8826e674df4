import type { PlainText } from "./generated/types.ts";

/**
 * Where a range of a text of `facts.text` is in its original: `[start, end]` in UTF-16 code units. A range that begins
 * or ends within a replaced piece is widened to all of that piece.
 *
 * @param plain a text of `facts.text`
 * @param start first index in `plain.text`
 * @param end index after the last one
 */
export function originalRange(
  plain: Pick<PlainText, "edits">,
  start: number,
  end: number,
): readonly [start: number, end: number] {
  const from = originalOf(plain.edits, start, false);
  return end <= start ? [from, from] : [from, originalOf(plain.edits, end, true)];
}

/** Original index of an index. Where removed characters make it ambiguous, that before them for an end. */
function originalOf(edits: PlainText["edits"], index: number, isEnd: boolean): number {
  // The last run that begins at the index or before it.
  let [low, high] = [0, edits.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = edits[middle]?.[0] ?? 0;
    if (at < index || (at === index && !isEnd)) low = middle + 1;
    else high = middle;
  }
  const edit = edits[low - 1];
  if (!edit) return index;
  const [at, length, from, original, times] = edit;
  const end = at + length * times;
  if (index >= end) return from + original * times + index - end;
  const pieces = (index - at) / length;
  return from + original * (isEnd ? Math.ceil(pieces) : Math.floor(pieces));
}
