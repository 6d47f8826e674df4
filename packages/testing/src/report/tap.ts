import type { TestReport } from "../test-pack.ts";
import { failureLines } from "./failure-lines.ts";

/** A report in the Test Anything Protocol, version 14. */
export function tapReport({ hooks, passed, failed }: TestReport): string {
  const lines = ["TAP version 14", `1..${passed + failed}`];
  let number = 0;
  for (const result of hooks.flatMap(({ results }) => results)) {
    const { hook, name, engine, file, pointer, failures } = result;
    const state = failures.length === 0 ? "ok" : "not ok";
    lines.push(`${state} ${++number} - ${description(`${hook}: ${name} (${engine})`)}`);
    if (failures.length === 0) continue;
    // Every JSON text is YAML.
    lines.push("  ---", `  at: ${JSON.stringify(`${file} at ${pointer}`)}`, "  differences:");
    for (const line of failureLines(result)) lines.push(`    - ${JSON.stringify(line)}`);
    lines.push("  ...");
  }
  return lines.join("\n");
}

/** On one line, and without what would read as a directive. */
function description(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").replace(/[\\#]/g, "\\$&");
}
