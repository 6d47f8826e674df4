import type { CaseResult } from "hookwarden/check";
import type { HookReport, TestReport } from "../test-pack.ts";
import { failureLines } from "./failure-lines.ts";

/** A report as JUnit XML: a suite for each hook and engine. */
export function junitReport({ hooks, engines, passed, failed, durationMs }: TestReport): string {
  const suites = hooks.flatMap((report) => engines.map((engine) => suite(report, engine)));
  const attributes = `name="hookwarden" tests="${passed + failed}" failures="${failed}" time="${seconds(durationMs)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes}>`,
    ...suites,
    "</testsuites>",
  ].join("\n");
}

function suite({ hook, results }: HookReport, engine: string): string {
  const own = results.filter((result) => result.engine === engine);
  const failed = own.filter(({ failures }) => failures.length > 0).length;
  const took = own.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const attributes = `name="${escape(`${hook} (${engine})`)}" tests="${own.length}" failures="${failed}" time="${seconds(took)}"`;
  return [`  <testsuite ${attributes}>`, ...own.map(testCase), "  </testsuite>"].join("\n");
}

function testCase(result: CaseResult): string {
  const { hook, name, file, durationMs, failures } = result;
  const attributes = `classname="${escape(hook)}" name="${escape(name)}" file="${escape(file)}" time="${seconds(durationMs)}"`;
  if (failures.length === 0) return `    <testcase ${attributes}/>`;
  const lines = failureLines(result);
  return [
    `    <testcase ${attributes}>`,
    `      <failure message="${escape(lines[0] ?? "")}">${escape(lines.join("\n"))}</failure>`,
    "    </testcase>",
  ].join("\n");
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1_000).toFixed(3);
}

const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"],
]);

/** Text for XML 1.0, which has no place at all for most control characters and for lone surrogates. */
function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities.get(character) as string)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}
