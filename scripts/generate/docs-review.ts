import { reviewTable } from "@hookwarden/review";
import { code, markdownNotice, sentence, table } from "./text.ts";

/** docs/review-codes.md */
export function reviewCodesPage(): string {
  const rows = Object.entries(reviewTable);
  return `# Codes of a review

${markdownNotice}

\`hookwarden review\` reports findings with these codes; see [reviewing](reviewing.md). The severity is the highest that a code
can have: weaker evidence is reported with a lower severity. \`high\` must be explained before the hook runs anywhere,
\`medium\` should be inspected, \`low\` is for information.

${table(
  ["code", "severity", "what was found"],
  rows.map(([name, row]) => [`[${code(name)}](#${name})`, row.severity, row.means]),
)}

${rows
  .map(
    ([name, row]) => `## ${name}

${sentence(row.means)} Severity: up to ${row.severity}.

${row.advice}`,
  )
  .join("\n\n")}
`;
}
