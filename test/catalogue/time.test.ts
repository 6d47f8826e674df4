import fc from "fast-check";
import { expect, it } from "vitest";
import { isDateTime } from "../../src/catalogue/index.ts";

it("takes what JavaScript writes, and reads it as the same instant", () => {
  const date = fc.date({
    min: new Date("0001-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59Z"),
    noInvalidDate: true,
  });
  fc.assert(fc.property(date, (each) => isDateTime(each.toISOString())));
});

it("takes a day if and only if the calendar has it", () => {
  for (const year of [1900, 2000, 2023, 2024, 2100]) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 0; day <= 32; day++) {
        const two = (part: number): string => String(part).padStart(2, "0");
        const text = `${year}-${two(month)}-${two(day)}T00:00:00Z`;
        const date = new Date(Date.UTC(year, month - 1, day));
        expect(isDateTime(text), text).toBe(date.getUTCMonth() === month - 1 && date.getUTCDate() === day);
      }
    }
  }
});

it("takes nothing that engines read differently", () => {
  const wrong = [
    "",
    "2026-03-01",
    "2026-03-01T12:00Z",
    "2026-03-01T12:00:00",
    "2026-03-01 12:00:00Z",
    "2026-03-01t12:00:00z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T23:59:60Z",
    "2026-13-01T00:00:00Z",
    "2026-03-01T12:00:00+24:00",
    "2026-03-01T12:00:00.Z",
    "2026-03-01T12:00:00.1234567890Z",
    "+002026-03-01T12:00:00Z",
    "2026-03-01T12:00:00Z\n",
    "２０２６-03-01T12:00:00Z",
  ];
  for (const text of wrong) expect(isDateTime(text), text).toBe(false);
  for (const text of ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.123456789-11:30"])
    expect(isDateTime(text)).toBe(true);
});
