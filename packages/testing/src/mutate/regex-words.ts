import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Most words that are made of one expression, and the max characters of one. */
const max = { words: 24, length: 400 } as const;
/** Characters that are tried for a class, in this order. */
const candidates = [..."ax0A/._-:=@ ~$\"'`\\;&|<>()[]{}!?*+,#%^\t\n", "é", "\u4e00"];

const parser = new RegExpParser({ ecmaVersion: 2025 });

/**
 * Words that a regular expression matches, or nearly so: each alternative is taken once, each repetition at its least
 * (and once, where that is none). The expression comes from a stranger and is only read, never run. What look-around
 * forbids is not looked at: what comes out is a guess that a hook is asked about.
 *
 * @param filling characters that long repetitions of a class are made of, as far as the class has them: a secret.
 */
export function wordsOf(source: string, flags: string, filling = ""): readonly string[] {
  try {
    const pattern = parser.parsePattern(source, undefined, undefined, {
      unicode: flags.includes("u"),
      unicodeSets: flags.includes("v"),
    });
    const words = alternatives(pattern.alternatives, filling).flatMap((word) => [word, otherDigits(word)]);
    return [...new Set(words)].filter((word) => word !== "");
  } catch {
    // No regular expression after all, such as a text that was handed to `RegExp` in parts.
    return [];
  }
}

/** Numbers of many digits that are not all the same: of zeros, every checksum is right. */
function otherDigits(word: string): string {
  return word.replaceAll(/0{4,}/g, ({ length }) => "7592816034".repeat(length).slice(0, length));
}

function alternatives(all: readonly AST.Alternative[], filling: string): readonly string[] {
  return thinned(all.flatMap(({ elements }) => sequence(elements, filling)));
}

function sequence(elements: readonly AST.Element[], filling: string): readonly string[] {
  let words: readonly string[] = [""];
  for (const element of elements) {
    const parts = wordsOfElement(element, filling);
    // Each part once, not all with all: `(a|b)(c|d)` gives `ac` and `bd`.
    const count = Math.min(max.words, Math.max(words.length, parts.length));
    words = Array.from({ length: count }, (_, at) =>
      `${words[at % words.length] ?? ""}${parts[at % parts.length] ?? ""}`.slice(0, max.length),
    );
  }
  return words;
}

function wordsOfElement(element: AST.Element, filling: string): readonly string[] {
  switch (element.type) {
    case "Character":
      return [String.fromCodePoint(element.value)];
    case "CharacterSet":
    case "CharacterClass":
    case "ExpressionCharacterClass":
      return [candidates.find((candidate) => isIn(element, candidate)) ?? firstOf(element) ?? "a"];
    case "Group":
    case "CapturingGroup":
      return alternatives(element.alternatives, filling);
    case "Quantifier": {
      const filled = filledWith(element, filling);
      if (filled !== null) return [filled];
      const once = wordsOfElement(element.element, filling);
      const min = Math.min(element.min, max.length);
      if (min > 0) return once.map((word) => word.repeat(min).slice(0, max.length));
      return element.max === 0 ? [""] : ["", ...once];
    }
    case "Assertion":
      // What must follow is put there; what must not be there, or stand before, is left to chance.
      return element.kind === "lookahead" && !element.negate
        ? alternatives(element.alternatives, filling)
        : [""];
    case "Backreference": {
      const [group] = [element.resolved].flat();
      // Seen from inside of its own group, it is empty.
      return group && group.end <= element.start ? alternatives(group.alternatives, filling) : [""];
    }
    default:
      return [""];
  }
}

/** Fewest repetitions of a class that can hold a secret. */
const secretLength = 4;

function filledWith({ element, min, max: most }: AST.Quantifier, filling: string): string | null {
  if (element.type !== "CharacterClass" && element.type !== "CharacterSet") return null;
  if (most < secretLength) return null;
  const own = [...filling].filter((character) => isIn(element, character)).join("");
  if (own.length < 3) return null;
  const length = Math.min(most, Math.max(min, own.length), max.length);
  return own.repeat(Math.ceil(length / own.length)).slice(0, length);
}

/** The first character that a class names. */
function firstOf(
  element: AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass,
): string | null {
  if (element.type !== "CharacterClass" || element.negate) return null;
  const [first] = element.elements;
  if (first?.type === "Character") return String.fromCodePoint(first.value);
  return first?.type === "CharacterClassRange" ? String.fromCodePoint(first.min.value) : null;
}

function isIn(
  node: AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass | AST.CharacterClassElement,
  character: string,
): boolean {
  const code = character.codePointAt(0) ?? 0;
  switch (node.type) {
    case "Character":
      return node.value === code;
    case "CharacterClassRange":
      return code >= node.min.value && code <= node.max.value;
    case "CharacterClass":
      return node.elements.some((element) => isIn(element, character)) !== node.negate;
    case "CharacterSet":
      return isInSet(node, character);
    case "ClassStringDisjunction":
      return node.alternatives.some(({ elements }) => elements.length === 1 && elements[0]?.value === code);
    default:
      return false;
  }
}

const letters = { space: /^\s$/, digit: /^\d$/, word: /^\w$/ } as const;

function isInSet(set: AST.CharacterSet, character: string): boolean {
  if (set.kind === "any") return character !== "\n";
  if (set.kind === "property") return /^\p{L}$/u.test(character) !== set.negate;
  return letters[set.kind].test(character) !== set.negate;
}

/** At max so many, spread over the whole list. */
function thinned(words: readonly string[]): readonly string[] {
  if (words.length <= max.words) return words;
  return Array.from(
    { length: max.words },
    (_, at) => words[Math.floor((at * words.length) / max.words)] as string,
  );
}
