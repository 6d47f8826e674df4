import { RE2JS, RE2JSException } from "re2js";
import type { ProgramText } from "./text.ts";

/** A regular expression as it stands in the code. */
export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

const max = { source: 1_000, instructions: 5_000, text: 4_096 } as const;

/** The regular expressions of a hook's own code. */
export function ownPatterns(text: ProgramText): readonly Pattern[] {
  return text.tree.nodes.flatMap(({ type, start, regex }) => {
    if (type !== "Literal" || !regex || !text.isOwn(start)) return [];
    const { pattern, flags } = regex as { readonly pattern: string; readonly flags: string };
    return [{ source: pattern, flags }];
  });
}

/** A pattern as an operand of a comparison is recorded: `/source/flags`. */
export function readPattern(text: unknown): Pattern | null {
  const [, source = "", flags = ""] = /^\/(.*)\/([a-z]*)$/s.exec(String(text)) ?? [];
  return source === "" ? null : { source, flags };
}

/** Finds the first part of a text that a pattern matches; `null` for none. */
type Find = (text: string) => string | null;

/**
 * Compiles a pattern of unreviewed code for use outside the sandbox: it matches in time linear in the text, so that no
 * hook can hold up its review. Assertions that look ahead or behind are left out, since RE2 has none.
 *
 * @returns `null` for what RE2 cannot read, and for patterns of more than 1,000 characters.
 */
export function linearPattern({ source, flags }: Pattern): Find | null {
  if (source.length > max.source) return null;
  const plain = source.replaceAll(/\(\?<?[!=](?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)/g, "");
  const known: readonly (readonly [string, number])[] = [
    ["i", RE2JS.CASE_INSENSITIVE],
    ["m", RE2JS.MULTILINE],
    ["s", RE2JS.DOTALL],
  ];
  const bits = known.reduce((all, [flag, bit]) => (flags.includes(flag) ? all | bit : all), 0);
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(plain), bits);
    if (compiled.programSize() > max.instructions) return null;
    return (text) => {
      const matcher = compiled.matcher(text.slice(0, max.text));
      return matcher.find() ? matcher.group() : null;
    };
  } catch (error) {
    if (error instanceof RE2JSException) return null;
    throw error;
  }
}
