const day = 86_400_000;

/**
 * Times that tell calendars from clocks: every hour, every day of the week and of the month, every month, the turns of
 * years, and far futures. Around a given day.
 */
export function timeSweep(from: string): readonly string[] {
  const start = Date.parse(from);
  const all = new Set<number>();
  for (let hour = 0; hour < 24; hour++) all.add(start - (start % day) + hour * 3_600_000 + 900_000);
  // Every day of this year and the next, and every hour of a week.
  for (let at = 1; at <= 730; at++) all.add(start + at * day);
  for (let hour = 0; hour < 168; hour++) all.add(start - (start % day) + day + hour * 3_600_000 + 1_234_567);
  for (let minute = 0; minute < 60; minute += 5)
    all.add(start - (start % day) + 3 * 3_600_000 + minute * 60_000 + 789);
  for (let month = 0; month < 12; month++) {
    all.add(Date.UTC(2027, month, 1, 12));
    all.add(Date.UTC(2028, month, 28, 12));
  }
  for (let year = 2024; year <= 2040; year++) {
    all.add(Date.UTC(year, 0, 1));
    all.add(Date.UTC(year, 11, 31, 23, 59, 59));
  }
  for (const text of [
    "2020-02-29T12:00:00Z",
    "2026-04-01T09:00:00Z",
    "2026-12-25T09:00:00Z",
    "2038-01-19T03:14:08Z",
    "2099-06-15T12:00:00Z",
    "1970-01-01T00:00:00Z",
  ])
    all.add(Date.parse(text));
  return [...all].map((one) => new Date(one).toISOString());
}

/** Times that a number or a text of a program can mean: a date, milliseconds, seconds, a year, a month, a day, an hour. */
export function timesOf(value: string | number, base: string): readonly string[] {
  const found: number[] = [];
  const around = new Date(base);
  if (typeof value === "string") {
    const text = value.trim();
    if (/^\d{4}-\d{2}(-\d{2})?/.test(text)) {
      found.push(
        Date.parse(text.length === 7 ? `${text}-15` : text),
        Date.parse(`${text.slice(0, 10)}T12:00:00Z`),
      );
    } else if (/^\d{2}-\d{2}$/.test(text))
      found.push(Date.parse(`${around.getUTCFullYear()}-${text}T12:00:00Z`));
    else if (/^T?\d{2}:\d{2}/.test(text))
      found.push(Date.parse(`${base.slice(0, 10)}T${text.replace("T", "").slice(0, 5)}:30Z`));
    else if (/^\d{4}$/.test(text)) found.push(Date.UTC(Number(text), 5, 15, 12));
    else if (/\d{4}/.test(text)) found.push(Date.parse(text));
  } else if (Number.isFinite(value)) {
    if (value > 1e11 && value < 8e15) found.push(value - 1, value, value + 1, value + day);
    if (value > 5e8 && value < 5e9) found.push(value * 1_000, (value + 1) * 1_000);
    if (Number.isInteger(value)) {
      if (value >= 1_970 && value <= 9_000)
        for (const year of [value - 1, value, value + 1]) found.push(Date.UTC(year, 5, 15, 12));
      if (value >= 0 && value < 24)
        found.push(Date.UTC(around.getUTCFullYear(), around.getUTCMonth(), around.getUTCDate(), value, 30));
      if (value >= 0 && value <= 12)
        for (const month of [value, value - 1]) found.push(new Date(around).setUTCMonth(month));
      if (value >= 1 && value <= 31) found.push(new Date(around).setUTCDate(value));
      if (value >= 0 && value < 7)
        found.push(around.getTime() + ((value - around.getUTCDay() + 7) % 7) * day);
      if (value >= 0 && value < 60) found.push(new Date(around).setUTCMinutes(value));
    }
  }
  return [...new Set(found.filter((at) => Number.isFinite(at) && at > -6e13 && at < 2.5e14))].map((at) =>
    new Date(at).toISOString(),
  );
}
