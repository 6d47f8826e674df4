import { findingTable } from "../../src/check/finding.ts";
import { lintTable } from "../../src/check/lint/index.ts";
import type { FindingRow } from "../../src/check/lint/row.ts";
import { code, markdownNotice, sentence, table } from "./text.ts";

type Rows = readonly (readonly [string, FindingRow])[];

const ofPacks: Rows = Object.entries(findingTable);
const ofCode: Rows = Object.entries(lintTable);

const list = (rows: Rows): string =>
  table(
    ["code", "severity", "what was found"],
    rows.map(([name, row]) => [`[${code(name)}](#${name})`, row.severity, row.means]),
  );

const sections = (rows: Rows): string =>
  rows
    .map(
      ([name, row]) => `### ${name}

${sentence(row.means)} Severity: ${row.severity}.

- **Why it matters:** ${row.why}
- **Fix:** ${row.fix}`,
    )
    .join("\n\n");

/** docs/findings.md */
export function findingsPage(): string {
  return `# Findings

${markdownNotice}

\`hookwarden check\` reports these for a pack. Problems that prevent a pack from loading have the codes of [errors](errors.md).
An \`error\` fails the check, a \`warning\` fails it with \`--strict\`, an \`info\` is for information.

A check never runs a hook's code outside the sandbox: manifests are read, scripts are compiled and parsed, the TypeScript
compiler, if installed, checks their types, and the sandbox reports what a script exports.

## In manifests and packs

${list(ofPacks)}

## In the code of scripts

Found in the syntax of the compiled program, and by following the event's data through it; locations refer to the sources.
Scripts of npm packages are checked for \`${ofCode
    .filter(([name]) => (lintTable as Record<string, { packages: boolean }>)[name]?.packages)
    .map(([name]) => name)
    .join("`, `")}\` only.

${list(ofCode)}

To allow a finding that you have examined, add a comment with the reason on its line or on the line before:

\`\`\`ts
// hookwarden-allow clock-reliance: reminds of the freeze on Fridays only
const day = new Date().getUTCDay();
\`\`\`

Allowed findings are listed with their reasons, and an unused allowance is itself a finding. Allowances apply only to
\`check\`. A security review shows every finding, because the comments are from the same author as the code.

## Manifests and packs, one by one

${sections(ofPacks)}

## Code, one by one

${sections(ofCode)}
`;
}
