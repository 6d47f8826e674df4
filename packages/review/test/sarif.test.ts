import { readFileSync } from "node:fs";
import { Ajv, type AnySchemaObject } from "ajv";
import { describe, expect, it } from "vitest";
import { reviewSarif } from "../src/index.ts";
import { hostile, sampleReport } from "./html/sample-report.ts";

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

/** The schema of OASIS with errata 01, unchanged: it is draft 4, of which it uses nothing but `id` that later drafts have not. */
function sarifValidator(): (value: unknown) => readonly unknown[] {
  const file = new URL("./sarif/sarif-schema-2.1.0.json", import.meta.url);
  const { $schema: _draft, id, ...rest } = JSON.parse(readFileSync(file, "utf8")) as AnySchemaObject;
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addFormat("uri", (text) => URL.canParse(text));
  ajv.addFormat(
    "uri-reference",
    (text) => !/[\s<>"{}|\\^`[\]]/.test(text) && URL.canParse(text, "https://a.example/"),
  );
  ajv.addFormat("date-time", (text) => !Number.isNaN(Date.parse(text)));
  const validate = ajv.compile({ $id: String(id), ...rest });
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

describe("the findings as SARIF", () => {
  it("conforms to the schema of SARIF 2.1.0, with hostile texts and paths too", () => {
    const errors = sarifValidator();
    const report = sampleReport();
    const [first] = report.findings;
    const odd = {
      ...first!,
      message: hostile,
      place: { line: 9, column: 1, module: `pack:guard hook/ü%20 ${"[x]"}.ts`, moduleLine: 4 },
      accepted: { reason: hostile, expires: "2027-01-01T00:00:00Z" },
    };
    const sarif = JSON.parse(JSON.stringify(reviewSarif({ ...report, findings: [...report.findings, odd] })));
    expect(errors(sarif)).toEqual([]);
    // The schema is in force: a result without its message does not pass.
    delete sarif.runs[0].results[0].message;
    expect(errors(sarif)).not.toEqual([]);
  });

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
