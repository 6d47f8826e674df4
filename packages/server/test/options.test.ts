import { describe, expect, it } from "vitest";
import type { ServerOptions } from "../src/index.ts";
import { settingsFrom } from "../src/options.ts";

// A misspelt option must not silently leave a server without what it asks for, such as its trust file.
describe("the options of a server", () => {
  it.each([
    [{ trusts: "trust.json" }, "there is no option `trusts`; did you mean `trust`?"],
    [{ requireReviews: {} }, "there is no option `requireReviews`; did you mean `requireReview`?"],
    [{ containmnet: "required" }, "there is no option `containmnet`; did you mean `containment`?"],
    [
      { requireReview: { records: [], trsut: "x" } },
      "no option `trsut` in `requireReview`; did you mean `trust`?",
    ],
    [{ quarantine: { fault: 3 } }, "no option `fault` in `quarantine`; did you mean `faults`?"],
    [{ limits: { eventbytes: 1 } }, "there is no limit `eventbytes`; did you mean `eventBytes`?"],
    [{ logLevel: "loud" }, "`logLevel` must be one of error, warn, info, debug"],
  ])("%j is refused", (given, message) => {
    expect(() => settingsFrom({ data: "x", ...given } as ServerOptions)).toThrow(message);
  });
});
