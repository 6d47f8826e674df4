import { RegExpParser, visitRegExpAST } from "@eslint-community/regexpp";
import type { AST } from "@eslint-community/regexpp";
import { isDisjointWith, JS, NFA } from "refa";

/** Largest automaton that is made of an expression. */
const maxNodes = 2_000;
/** Most alternatives that are compared with each other. */
const maxAlternatives = 16;
/** Repetitions from which on it does not matter that they are counted. */
const manyTimes = 20;

/** What of an expression an engine that backtracks may have to try over and over. */
export interface Retries {
  readonly backreference: boolean;
  /** Whether a repeated choice can read one text in two ways: each repetition doubles the ways. */
  readonly ambiguous: boolean;
}

/** Looks at an expression as a pattern; a text that is none has neither. */
export function retriesOf(pattern: string, flags: string): Retries {
  let backreference = false;
  const choices: AST.Quantifier[] = [];
  try {
    const tree = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(pattern, 0, pattern.length, {
      unicode: flags.includes("u"),
      unicodeSets: flags.includes("v"),
    });
    visitRegExpAST(tree, {
      onBackreferenceEnter: () => {
        backreference = true;
      },
      onQuantifierEnter: (node) => {
        if (node.max >= manyTimes && node.end < pattern.length) choices.push(node);
      },
    });
  } catch {
    return { backreference: false, ambiguous: false };
  }
  return { backreference, ambiguous: choices.some((choice) => readsTwice(choice, flags)) };
}

/** Whether two alternatives, each followed by more of them, have a text in common. */
function readsTwice({ element }: AST.Quantifier, flags: string): boolean {
  if (element.type !== "Group" && element.type !== "CapturingGroup") return false;
  const { alternatives } = element;
  if (alternatives.length < 2 || alternatives.length > maxAlternatives) return false;
  const all = alternatives.map(({ raw }) => raw).join("|");
  try {
    const ways = alternatives.map(({ raw }) => automaton(`(?:${raw})(?:${all})*`, flags));
    return ways.some((one, index) =>
      ways.slice(index + 1).some((other) => !isDisjointWith(one, other, maxNodes)),
    );
  } catch {
    // Assertions, references, or larger than what is looked at: not known.
    return false;
  }
}

function automaton(source: string, flags: string): NFA {
  const plain = source.replaceAll(/\(\?<(?![=!])[^>]*>/g, "(?:");
  const parser = JS.Parser.fromLiteral({ source: plain, flags: flags.replaceAll(/[gyd]/g, "") });
  const { expression, maxCharacter } = parser.parse({ backreferences: "throw" });
  const factory = new NFA.LimitedNodeFactory(maxNodes);
  const made = NFA.fromRegex(expression, { maxCharacter }, { assertions: "throw" }, factory);
  if (made.initial && made.finals.has(made.initial)) throw new RangeError("it may match nothing");
  return made;
}
