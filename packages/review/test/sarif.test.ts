import { describe, expect, it } from "vitest";
import { reviewSarif } from "../src/index.ts";
import { sampleReport } from "./html/sample-report.ts";

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly suppressions?: readonly { readonly justification: string }[];
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
      }[];
    }[];
  }[];
}

const sarifOf = (report: Parameters<typeof reviewSarif>[0]): Sarif => reviewSarif(report) as Sarif;

describe("the findings as SARIF", () => {
  it("has a rule for each code and a result for each finding, errors for those that are high", () => {
    const report = sampleReport();
    const { version, runs } = sarifOf(report);
    const [run] = runs;
    expect(version).toBe("2.1.0");
    expect(run?.results).toHaveLength(report.findings.length);
    for (const { ruleId, ruleIndex } of run?.results ?? [])
      expect(run?.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(run?.results.map(({ level }) => level === "error")).toEqual(
      report.findings.map(({ severity }) => severity === "high"),
    );
  });

  it("points into the files of the pack, and into the manifest where there is no place", () => {
    const report = sampleReport();
    const [first] = report.findings;
    const place = { line: 9, column: 1, module: "pack:guard/hook.ts", moduleLine: 4 };
    const findings = [
      { ...first!, place },
      { ...first!, place: null },
    ];
    const uris = sarifOf({ ...report, findings }).runs[0]?.results.map(
      ({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri,
    );
    expect(uris).toEqual(["guard/hook.ts", `${first?.hook}/hook.json`]);
  });

  it("suppresses what was accepted, with the reason", () => {
    const report = sampleReport();
    const accepted = { reason: "announced in #ops", expires: "2027-01-01T00:00:00Z" };
    const findings = report.findings.map((one, index) => ({
      ...one,
      accepted: index === 0 ? accepted : null,
    }));
    const results = sarifOf({ ...report, findings }).runs[0]?.results ?? [];
    expect(results[0]?.suppressions?.[0]?.justification).toBe("announced in #ops");
    expect(results[1]?.suppressions).toBeUndefined();
  });
});
