import { describe, expect, it } from "vitest";
import { acceptFindings, fingerprintOf, readAccepted } from "../src/accept.ts";
import { draft } from "../src/draft.ts";
import { guestText } from "../src/guest-text.ts";
import { verdictOf } from "../src/verdict.ts";
import { sampleReport } from "./html/sample-report.ts";

const file = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const entry = {
  fingerprint: "00000000000000a1",
  reason: "drains are announced",
  expires: "2027-01-31T00:00:00Z",
};
const { findings } = sampleReport();
const now = new Date("2026-06-01T00:00:00Z");

describe("accepted findings", () => {
  it("do not count until they expire", () => {
    const accepted = readAccepted(file({ accepted: [entry] }), "a.json");
    const [first] = acceptFindings(findings, accepted, now);
    expect(first?.accepted).toEqual({ reason: entry.reason, expires: entry.expires });
    const [later] = acceptFindings(findings, accepted, new Date("2027-02-01T00:00:00Z"));
    expect(later?.accepted).toBeNull();
  });

  it("leave the suggestion to what is left", () => {
    const all = findings.map(({ fingerprint }) => ({ ...entry, fingerprint }));
    expect(verdictOf(findings, null).suggestion).toBe("refuse");
    expect(verdictOf(acceptFindings(findings, all, now), null).suggestion).toBe("approve");
  });

  // Attack: an author slows the review down to get a better verdict.
  it("a review that was stopped by its clock never suggests approval", () => {
    expect(verdictOf([], "the time limit of 20 s was reached").suggestion).toBe("look");
  });

  // A reviewer who accepted a branch has not accepted what an update puts there.
  it("are about lines of code: a change of those is another finding", () => {
    const of = (code: string): string =>
      fingerprintOf({
        ...draft("branch-uncovered", "1 branch", [{ label: "line 7: x", text: guestText(code) }]),
        hook: "guard",
      });
    expect(of("return undefined;")).toBe(of("return undefined;"));
    expect(of("return undefined;")).not.toBe(of("return allow();"));
  });

  it.each([
    ["no list", {}],
    ["a short reason", { accepted: [{ ...entry, reason: "ok" }] }],
    ["no expiry", { accepted: [{ ...entry, expires: "soon" }] }],
    ["no fingerprint", { accepted: [{ ...entry, fingerprint: "F1" }] }],
  ])("are refused with %s", (_what, value) => {
    expect(() => readAccepted(file(value), "a.json")).toThrow(/in `a\.json`/);
  });
});
