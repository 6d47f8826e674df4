/**
 * SQL as the shells of databases read it. The dialects that agents use differ too much for one grammar, and no parser
 * reads all of their statements about files; so statements are split into tokens, constant texts are put together, and
 * rules name the statements and functions that use files, hosts and commands.
 */
import { clean } from "../shell/text.ts";
import type { Capture } from "./languages.ts";
import { unescaped } from "./tokens.ts";

/** A text in a statement, and what the statement does with it; `code` is SQL again. */
export interface SqlUse {
  readonly what: Capture | "code";
  readonly text: string;
}

/** A text, as its number, in a line of tokens. */
const mark = "\uFDD3";
const T = `${mark}(\\d{1,4})${mark}`;
const rule = (pattern: string, what: SqlUse["what"]): readonly [RegExp, SqlUse["what"]] => [
  new RegExp(pattern.replaceAll("TEXT", T), "gi"),
  what,
];

const rules: readonly (readonly [RegExp, SqlUse["what"]])[] = [
  rule(String.raw`\bCOPY\b[^;]{0,400}?\b(?:TO|FROM) PROGRAM TEXT`, "run"),
  rule(String.raw`\bCOPY\b[^;]{0,400}?\bTO TEXT`, "write"),
  rule(String.raw`\bCOPY\b[^;]{0,400}?\bFROM TEXT`, "read"),
  rule(String.raw`\bINTO (?:OUTFILE|DUMPFILE) TEXT`, "write"),
  rule(String.raw`\b(?:VACUUM(?: \w{1,60})? INTO|EXPORT DATABASE|ATTACH(?: DATABASE)?) TEXT`, "write"),
  rule(String.raw`\b(?:GENERAL_LOG_FILE|SLOW_QUERY_LOG_FILE) ?= ?TEXT`, "write"),
  rule(String.raw`\bWRITEFILE ?\( ?TEXT`, "write"),
  rule(String.raw`\bLO_EXPORT ?\([^();]{1,80}, ?TEXT`, "write"),
  rule(String.raw`\b(?:INFILE|IMPORT DATABASE) TEXT`, "read"),
  rule(
    String.raw`\b(?:LOAD_FILE|READFILE|PG_READ_FILE|PG_READ_BINARY_FILE|PG_LS_DIR|PG_STAT_FILE|LO_IMPORT|LOAD_EXTENSION|(?:READ|SNIFF|PARQUET)_\w{1,20}) ?\( ?\[? ?TEXT`,
    "read",
  ),
  rule(String.raw`\b(?:FROM|JOIN) TEXT`, "read"),
  rule(String.raw`\bEDIT ?\([^();]{1,200}, ?TEXT`, "run"),
  rule(String.raw`\b(?:SYS_EXEC|SYS_EVAL|XP_CMDSHELL) ?\(? ?TEXT`, "run"),
  rule(String.raw`\b\w{1,40}_COMMAND ?(?:=|\bTO\b) ?TEXT`, "run"),
  rule(String.raw`\bDBLINK\w{0,20} ?\( ?TEXT`, "connect"),
  rule(String.raw`\b(?:EXECUTE(?: IMMEDIATE)?|PREPARE \w{1,60} FROM) ?\(? ?TEXT`, "code"),
  rule(
    String.raw`\b(?:DO|DO LANGUAGE \w{1,60}|LANGUAGE \w{1,60} AS|BEGIN ATOMIC|RETURNS [^;]{1,80} AS) TEXT`,
    "code",
  ),
];

/** What SQL does with the constant texts in it. */
export function usesOf(sql: string): readonly SqlUse[] {
  const { line, texts } = folded(tokenized(sql));
  return rules.flatMap(([pattern, what]) =>
    [...line.matchAll(pattern)].flatMap(([statement, id]): readonly SqlUse[] => {
      const text = texts[Number(id)] ?? "";
      // The name of a table in quotes is no file.
      if (/^(?:FROM|JOIN) /i.test(statement) && !text.includes("/")) return [];
      if (what !== "connect") return [{ what, text }];
      const host = /\bhost(?:addr)?\s{0,4}=\s{0,4}([^\s']{1,255})/.exec(text)?.[1];
      return host === undefined ? [] : [{ what, text: host }];
    }),
  );
}

/** Statements without comments and line ends, with a number for each text. */
interface Tokens {
  readonly line: string;
  readonly texts: readonly string[];
}

/**
 * Comments and spaces, texts with escapes, in hexadecimal digits, in quotes and in dollars. What MySQL has in `/*!` is a
 * statement, and so no comment. A quote that is not closed ends with the program.
 */
const token =
  /--[^\n]*|\/\*(?!!)(?:[^*]|\*(?!\/))*(?:\*\/|$)|\/\*!\d{0,6}|\*\/|\s+|\be'((?:[^'\\]|\\[^]|'')*)(?:'|$)|(?:\bx'|\b0x)([0-9a-f]*)'?|(?:\b(?:n|u&|_\w{1,20} ?))?'((?:[^']|'')*)(?:'|$)|"((?:[^"]|"")*)(?:"|$)|(?<!\w)\$(\w{0,60})\$/giy;

function tokenized(sql: string): Tokens {
  const text = sql.replaceAll(mark, " ");
  const texts: string[] = [];
  const numbered = (value: string): string => `${mark}${texts.push(clean(value)) - 1}${mark}`;
  let line = "";
  for (let at = 0; at < text.length;) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (found === null) {
      line += text[at++];
      continue;
    }
    const [whole, escaped, hex, single, double, tag] = found;
    at += whole.length;
    if (tag !== undefined) {
      const end = text.indexOf(whole, at);
      line += numbered(text.slice(at, end < 0 ? text.length : end));
      at = end < 0 ? text.length : end + whole.length;
    } else if (escaped !== undefined) line += numbered(unescaped(escaped.replaceAll("''", "'")));
    else if (hex !== undefined) line += numbered(Buffer.from(hex, "hex").toString());
    else if (single !== undefined) line += numbered(single.replaceAll("''", "'"));
    else if (double !== undefined) line += numbered(double.replaceAll('""', '"'));
    else if (!line.endsWith(" ")) line += " ";
  }
  return { line, texts };
}

const mostRounds = 8;
const codes = /\bCHA?R ?\( ?(\d{1,7}(?: ?, ?\d{1,7})*) ?\)/gi;
const cast = new RegExp(`(?<=${mark}) ?:: ?\\w+`, "g");
const joined = new RegExp(String.raw`${T}(?: ?\|\| ?| )${T}`, "g");
const concatenated = new RegExp(String.raw`\bCONCAT ?\( ?(${T}(?: ?, ?${T})*) ?\)`, "gi");
const inBrackets = new RegExp(String.raw`(?<![\w ] ?)\( ?(${T}) ?\)`, "g");

/** Puts constant texts together: `'a' || 'b'`, `CONCAT('a', 'b')`, `CHAR(47, 101)`. */
function folded({ line, texts }: Tokens): Tokens {
  const all = [...texts];
  const number = (value: string): string => `${mark}${all.push(clean(value)) - 1}${mark}`;
  const ofAll = (list: string): string =>
    [...list.matchAll(new RegExp(T, "g"))].map(([, id]) => all[Number(id)] ?? "").join("");
  let after = line.replace(codes, (_, list: string) =>
    number(String.fromCodePoint(...list.split(",").map((code) => Math.min(Number(code), 0x10_ffff)))),
  );
  for (let round = 0, before = ""; round < mostRounds && before !== after; round++) {
    before = after;
    after = after
      .replace(cast, "")
      .replace(joined, (both) => number(ofAll(both)))
      .replace(concatenated, (_, list: string) => number(ofAll(list)))
      .replace(inBrackets, "$1");
  }
  return { line: after, texts: all };
}
