import { reviewTable } from "@hookwarden/review";
import { code, markdownNotice, sentence, table } from "./text.ts";

/** docs/review-codes.md */
export function reviewCodesPage(): string {
  const rows = Object.entries(reviewTable);
  return `# Codes of a review

${markdownNotice}

The findings of \`hookwarden review\` have these codes; [reviewing](reviewing.md) explains how to read them. The severity given
is the maximum for a code: weaker evidence gets a lower one. \`high\` must be explained before the hook runs anywhere,
\`medium\` deserves attention, \`low\` is for information.

${table(
  ["code", "severity", "what was found"],
  rows.map(([name, row]) => [`[${code(name)}](#${name})`, row.severity, row.means]),
)}

${rows
  .map(
    ([name, row]) => `## ${name}

${sentence(row.means)} Severity: ${row.severity} at most.

${row.look}`,
  )
  .join("\n\n")}
`;
}
