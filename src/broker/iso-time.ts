let second = Number.NaN;
/** `2026-01-31T12:00:00.` of that second. */
let prefix = "";

/**
 * `Date.prototype.toISOString`, ten times as fast for times of the same second: most events are now.
 *
 * @param milliseconds since 1970, a whole number.
 */
export function isoTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds !== second) {
    prefix = new Date(seconds * 1_000).toISOString().slice(0, -4);
    second = seconds;
  }
  const rest = milliseconds - seconds * 1_000;
  return `${prefix}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
}
