import fc from "fast-check";
import { isIPv4, isIPv6 } from "node:net";
import { expect, test } from "vitest";
import * as page from "../src/platform/net.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";

const near = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc
    .tuple(fc.ipV6(), fc.constantFrom("%eth0", "%", "%1", "%25eth0", " ", "]"))
    .map((parts) => parts.join("")),
  fc.stringMatching(/^[0-9a-f:.]{0,24}$/),
  fc.constantFrom(
    "",
    "::",
    "::1",
    "1.2.3",
    "01.2.3.4",
    "1.2.3.256",
    "::ffff:1.2.3.4",
    "1::2::3",
    "fe80::1%lo",
  ),
);

test("the page takes the same texts for addresses as Node.js", () => {
  fc.assert(
    fc.property(near, (text) => {
      expect([text, page.isIPv4(text), page.isIPv6(text)]).toEqual([text, isIPv4(text), isIPv6(text)]);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
