let offset = performance.timeOrigin;

/**
 * The time in milliseconds since 1970, with fractions: what is measured is shorter than the millisecond that `Date.now`
 * counts in. Follows the system's clock where that is put right.
 */
export function preciseNow(): number {
  const now = performance.now();
  const wall = Date.now();
  if (Math.abs(offset + now - wall) > 2) offset = wall - now;
  return offset + now;
}
