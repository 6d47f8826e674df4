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
  { test: /^DELETE FROM (?!.*\bWHERE\b)/, verdict: "ask", what: "deletes every row" },
  { test: /^UPDATE (?!.*\bWHERE\b)/, verdict: "ask", what: "changes every row" },
  { test: /^ALTER TABLE .*\bDROP\b/, verdict: "ask", what: "drops a part of a table" },
];

/** The statements of a text that destroy something. Comments do not hide a statement. */
export function sqlFindings(
  text: string,
): readonly { readonly verdict: Finding["verdict"]; readonly what: string }[] {
  return withoutComments(text.slice(0, longestQuery))
    .toUpperCase()
    .split(";", 500)
    .flatMap((statement) => {
      const line = statement.replace(/\s+/g, " ").trim();
      return statements.find(({ test }) => test.test(line)) ?? [];
    });
}

/** Takes `/* … *\/` and `-- …` out, in one pass. */
function withoutComments(text: string): string {
  let out = "";
  for (let at = 0; at < text.length;) {
    const opener = text.startsWith("/*", at) ? "*/" : text.startsWith("--", at) ? "\n" : undefined;
    if (opener === undefined) {
      out += text[at++];
      continue;
    }
    const end = text.indexOf(opener, at + 2);
    out += " ";
    at = end < 0 ? text.length : end + opener.length;
  }
  return out;
}
