import type { Finding } from "../lib/findings.ts";

const longestQuery = 65_536;

/** What a statement does that cannot be taken back; the first row that matches counts. */
const statements: readonly {
  readonly test: RegExp;
  readonly verdict: Finding["verdict"];
  readonly what: string;
}[] = [
  {
    test: /^DROP (DATABASE|SCHEMA|TABLE|KEYSPACE|OWNED|TABLESPACE)\b/,
    verdict: "deny",
    what: "destroys data",
  },
  { test: /^TRUNCATE\b/, verdict: "deny", what: "destroys data" },
  { test: /^DROP\b/, verdict: "ask", what: "drops a part of a database" },
  {
    test: /^DELETE (?:\w+ ){0,3}FROM (?!.*\bWHERE\b(?! (?:TRUE|\d+(?: ?= ?\d+)?) ?(?:\)|$)))/,
    verdict: "ask",
    what: "deletes every row",
  },
  {
    test: /^UPDATE (?!.*\bWHERE\b(?! (?:TRUE|\d+(?: ?= ?\d+)?) ?(?:\)|$)))/,
    verdict: "ask",
    what: "changes every row",
  },
  { test: /^ALTER TABLE .*\bDROP\b/, verdict: "ask", what: "drops a part of a table" },
];

/** The statements of a text that destroy something. Neither comments nor blocks hide a statement. */
export function sqlFindings(
  text: string,
): readonly { readonly verdict: Finding["verdict"]; readonly what: string }[] {
  return (
    plain(text.slice(0, longestQuery))
      .toUpperCase()
      // Blocks, and what `WITH … AS (` has in brackets, begin statements of their own.
      .replace(
        /\b(?:BEGIN|LOOP|ATOMIC|THEN(?=\s+(?:DELETE|DROP|TRUNCATE)\b))\s|\((?=\s{0,100}(?:DELETE|UPDATE)\b)/g,
        ";",
      )
      .split(";", 500)
      .flatMap((statement) => {
        const line = statement.replace(/\s+/g, " ").trim();
        return statements.find(({ test }) => test.test(line)) ?? [];
      })
  );
}

/** Comments, texts in quotes, and the marks around a block. What MySQL has in a comment with `!` is a statement. */
const part =
  /--[^\n]*|\/\*(?!!)(?:[^*]|\*(?!\/))*(?:\*\/|$)|\/\*!\d{0,6}|\*\/|'((?:[^']|'')*)(?:'|$)|\$\w{0,60}\$/gy;

/** A text without comments and quoted texts, except those that are run as statements; in one pass. */
function plain(text: string): string {
  let out = "";
  for (let at = 0; at < text.length;) {
    part.lastIndex = at;
    const [whole, quoted] = part.exec(text) ?? [];
    if (whole === undefined) {
      out += text[at++];
      continue;
    }
    const isRun =
      quoted !== undefined && /\b(?:EXECUTE|IMMEDIATE|PREPARE \w{1,60} FROM) ?$/i.test(out.slice(-80));
    if (isRun) out += `;${quoted};`;
    else out += quoted !== undefined ? "''" : whole.startsWith("$") ? ";" : " ";
    at += whole.length;
  }
  return out;
}
