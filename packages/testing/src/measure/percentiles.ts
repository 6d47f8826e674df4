/** Where the values of a sample lie: the middle one, and the one that 99 of 100 do not exceed. */
export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

/** The nearest-rank percentiles of a sample; `null` for an empty one. */
export function percentilesOf(values: readonly number[]): Percentiles | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] as number;
  return { p50: at(0.5), p99: at(0.99) };
}
