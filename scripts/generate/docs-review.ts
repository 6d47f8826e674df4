import { reviewTable } from "@hookwarden/review";
import { code, markdownNotice, sentence, table } from "./text.ts";

/** docs/review-codes.md */
export function reviewCodesPage(): string {
  const rows = Object.entries(reviewTable);
  return `# Codes of a review

${markdownNotice}

\`hookwarden review\` has these codes in its findings; [reviewing](reviewing.md) says how to read them. The severity is the
worst that a code is given: a weaker sign of the same thing is told with a lesser one. \`high\` must be explained before
the hook runs anywhere, \`medium\` deserves a look, \`low\` is there to be known.

${table(
  ["code", "severity", "what was found"],
  rows.map(([name, row]) => [`[${code(name)}](#${name})`, row.severity, row.means]),
)}

${rows
  .map(
    ([name, row]) => `## ${name}

${sentence(row.means)} Severity: ${row.severity} at most.

${row.advice}`,
  )
  .join("\n\n")}
`;
}
