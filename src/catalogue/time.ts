/**
 * RFC 3339 with an offset, as the `time` of an event carries it. Stricter than most readers of the format: no leap
 * second, no space for the `T`, because the guest's clock is set from it and every engine must read the same instant.
 */
const dateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a date and time that exists, such as `2026-03-01T12:00:00.000Z` or `…T14:00:00+02:00`. */
export function isDateTime(text: string): boolean {
  if (!dateTime.test(text)) return false;
  const day = Number(text.slice(8, 10));
  return day <= 28 || day <= daysInMonth(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
