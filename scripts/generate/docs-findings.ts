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

\`hookwarden check\` finds these in a pack. What keeps a pack from loading has the codes of [errors](errors.md) besides. An
\`error\` fails a check, a \`warning\` fails one with \`--strict\`, an \`info\` is there to be read.

None of it runs a hook's code outside of the sandbox: manifests are read, scripts are bundled and parsed, the TypeScript
compiler reads their types where it is installed, and what a script exports is asked of the sandbox.

## In manifests and packs

${list(ofPacks)}

## In the code of scripts

Found in the syntax of the bundled program, and by where the event's data goes in it; the place is that of the source.
Scripts of npm packages are looked at for \`${ofCode
    .filter(([name]) => (lintTable as Record<string, { packages: boolean }>)[name]?.packages)
    .map(([name]) => name)
    .join("`, `")}\` only.

${list(ofCode)}

A finding that has been looked at and is right as it is can be allowed by a comment on its line or on the line before,
with the reason:

\`\`\`ts
// hookwarden-allow clock-reliance: reminds of the freeze on Fridays only
const day = new Date().getUTCDay();
\`\`\`

Allowed findings are listed with their reasons, and an allowance that nothing needs is a finding itself. They count in a
check of one's own pack. A security review shows every finding: whoever wrote the code wrote the comments too.

## Manifests and packs, one by one

${sections(ofPacks)}

## Code, one by one

${sections(ofCode)}
`;
}
