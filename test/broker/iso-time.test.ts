import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isoTime } from "../../src/broker/iso-time.ts";

test("times are written as `toISOString` writes them", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -62_167_219_199_999, max: 253_402_300_799_998 }), { minLength: 1 }),
      (times) => {
        for (const time of times) {
          for (const near of [time, time + 1, time - 1]) {
            expect(isoTime(near)).toBe(new Date(near).toISOString());
          }
        }
      },
    ),
  );
});
