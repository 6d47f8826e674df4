/** Limits of what a memoized function keeps. */
export interface MemoLimits {
  /** Most results that are kept. */
  readonly entries: number;
  /** Longest text whose result is kept, in UTF-16 code units. */
  readonly length: number;
}

/**
 * Memoizes a function of a text, for texts that repeat. The cache is cleared when it is full, so that a flood of new
 * texts cannot make it grow.
 */
export function memoize<Result extends NonNullable<unknown>>(
  derive: (text: string) => Result,
  { entries, length }: MemoLimits,
): (text: string) => Result {
  const cache = new Map<string, Result>();
  return (text) => {
    const known = cache.get(text);
    if (known !== undefined) return known;
    const result = derive(text);
    if (text.length <= length) {
      if (cache.size >= entries) cache.clear();
      cache.set(text, result);
    }
    return result;
  };
}
