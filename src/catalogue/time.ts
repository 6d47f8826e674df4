/**
 * RFC 3339 with an offset, as the `time` of an event carries it. Stricter than most readers of the format: no leap
 * second, no space for the `T`, because the guest's clock is set from it and every engine must read the same instant.
 */
const dateTime =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a date and time that exists, such as `2026-03-01T12:00:00.000Z` or `…T14:00:00+02:00`. */
export function isDateTime(text: string): boolean {
  const parts = dateTime.exec(text);
  // Day 0 of the next month is the last day of this one.
  return (
    parts !== null &&
    Number(parts[3]) <= new Date(Date.UTC(2000 + (Number(parts[1]) % 400), Number(parts[2]), 0)).getUTCDate()
  );
}
