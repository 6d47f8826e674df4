import { RE2JS } from "re2js";
import { quote } from "@hookwarden/sandbox/json";
import { memoize, type MemoLimits } from "./memoize.ts";

/** Tests a name in time linear in its length. */
export interface Matcher {
  readonly source: string;
  test(name: string): boolean;
}

/** Limits of matchers: a stranger wrote them, and every event pays for them. */
export const matcherLimits = {
  /** Longest matcher, in UTF-16 code units. */
  length: 512,
  /** Most names in a list. */
  names: 64,
  /** Largest compiled expression, in instructions: the time for one name is at most in proportion to it. */
  instructions: 512,
  /** The same where a repetition is counted (`{2,5}`): such an expression keeps most of its instructions busy. */
  countedInstructions: 160,
  /** Most answers that one expression remembers. */
  remembered: 512,
  /** Longest name whose answer is remembered, in UTF-16 code units. */
  rememberedLength: 256,
  /** Most expressions that are kept compiled: the same ones occur in many hooks of a pack. */
  compiled: 256,
} as const;

/** Limits of the answers that are kept for one expression. */
export const answerLimits: MemoLimits = {
  entries: matcherLimits.remembered,
  length: matcherLimits.rememberedLength,
};

/** Characters that leave a matcher a name or a list of names, as in Claude Code. */
const namesOnly = /^[A-Za-z0-9_\-,| ]*$/;

export type MatcherResult =
  | {
      readonly ok: true;
      /** `null`: every name. */
      readonly matcher: Matcher | null;
      /** Size of the compiled expression; 0 where there is none. */
      readonly instructions: number;
    }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads a matcher. Absent and `*` mean every name. Letters, digits, `_`, `-`, `,`, `|` and spaces make a name, or a
 * list of names separated by `,` or `|`; spaces around a name do not count. Anything else is a regular expression of
 * RE2 syntax that must match the whole name, where `.` matches every character. Both are case-sensitive and compare
 * code points as they are: nothing is folded or normalised. An empty matcher, or an empty name in a list, is a problem.
 */
export function compileMatcher(source: string | undefined): MatcherResult {
  if (source === undefined || source === "*") return { ok: true, matcher: null, instructions: 0 };
  if (source.trim() === "")
    return problem("an empty matcher matches nothing; leave it out, or use `*` for every name");
  if (source.length > matcherLimits.length) {
    return problem(
      `a matcher is at most ${matcherLimits.length} characters long, this one is ${source.length}`,
    );
  }
  return namesOnly.test(source) ? listMatcher(source) : expressionMatcher(source);
}

function problem(text: string): MatcherResult {
  return { ok: false, problem: text };
}

function listMatcher(source: string): MatcherResult {
  const names = new Set(source.split(/[,|]/).map((name) => name.trim()));
  if (names.has("")) return problem(`the list ${quote(source)} has an empty name`);
  if (names.size > matcherLimits.names) return problem(`a list has at most ${matcherLimits.names} names`);
  return { ok: true, matcher: { source, test: (name) => names.has(name) }, instructions: 0 };
}

const expressionMatcher = memoize(
  (source): MatcherResult => {
    const expression = compileLinear(source);
    if (typeof expression === "string") return problem(`the expression ${quote(source)} ${expression}`);
    const test = memoize((name) => expression.testExact(name), answerLimits);
    return { ok: true, matcher: { source, test }, instructions: expression.programSize() };
  },
  { entries: matcherLimits.compiled, length: matcherLimits.length },
);

/** Compiles an expression for the linear-time engine; what is wrong with it, as text, where that does not work. */
function compileLinear(source: string): RE2JS | string {
  try {
    const expression = RE2JS.compile(source, RE2JS.DOTALL);
    const size = expression.programSize();
    const maxInstructions = /\{\d/.test(source)
      ? matcherLimits.countedInstructions
      : matcherLimits.instructions;
    return size <= maxInstructions
      ? expression
      : `is too large: ${size} instructions of at most ${maxInstructions}`;
  } catch (error) {
    // The engine repeats the expression in backticks.
    const reason =
      error instanceof Error
        ? error.message.replace(/^error parsing regexp: /, "").replace(/: `.*`$/s, "")
        : "";
    return `does not compile: ${quote(reason).slice(1, -1)}`;
  }
}
