/** Lines of both versions beyond which nothing is compared. */
const maxLines = 4_000;
/** Changed lines that are shown. */
const maxShown = 200;

/**
 * The lines that are in one version only, in the order of the newer one, each after `-` or `+`. Longest common
 * subsequence, after what both have at their start and end was taken off.
 */
export function changedLines(before: string, after: string): readonly string[] {
  const [a, b] = [before.split("\n").slice(0, maxLines), after.split("\n").slice(0, maxLines)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = right.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        left[i] === right[j]
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
  const lines: string[] = [];
  for (let i = 0, j = 0; (i < left.length || j < right.length) && lines.length < maxShown;) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      i++;
      j++;
    } else if (
      j >= right.length ||
      (i < left.length && (lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number))
    )
      lines.push(`- ${left[i++] as string}`);
    else lines.push(`+ ${right[j++] as string}`);
  }
  return lines;
}
