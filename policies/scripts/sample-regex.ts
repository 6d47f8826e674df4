import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** Texts that a pattern matches: one for each alternative of each group, with as little around it as may be. */
export function samplesOf(pattern: RegExp): readonly string[] {
  const ast = new RegExpParser().parsePattern(pattern.source, 0, pattern.source.length, {
    unicode: pattern.unicode,
  });
  const wanted = alternativesIn(ast);
  return [...new Set(wanted.map((alternative) => sampleOf(ast, chosenFor(alternative))))];
}

type Choices = ReadonlySet<AST.Node>;

function alternativesIn(node: AST.Node): readonly AST.Alternative[] {
  const all = "alternatives" in node ? node.alternatives : [];
  const inner = all.filter((one): one is AST.Alternative => one.type === "Alternative");
  return inner.flatMap((alternative) => [
    alternative,
    ...alternative.elements.flatMap((element) =>
      alternativesIn(element.type === "Quantifier" ? element.element : element),
    ),
  ]);
}

/** An alternative with all that it is inside of. */
function chosenFor(alternative: AST.Alternative): Choices {
  const chosen = new Set<AST.Node>();
  for (let node: AST.Node | null = alternative; node !== null; node = node.parent) chosen.add(node);
  return chosen;
}

function sampleOf(node: { readonly alternatives: readonly AST.Alternative[] }, chosen: Choices): string {
  const alternative = node.alternatives.find((one) => chosen.has(one)) ?? node.alternatives[0];
  return (alternative?.elements ?? []).map((element) => textOf(element, chosen)).join("");
}

function textOf(element: AST.Element, chosen: Choices): string {
  switch (element.type) {
    case "Character":
      return String.fromCodePoint(element.value);
    case "CharacterSet":
      return element.kind === "space" ? " " : element.kind === "digit" ? "1" : "a";
    case "CharacterClass":
      return ofClass(element);
    case "Group":
    case "CapturingGroup":
      return sampleOf(element, chosen);
    case "Assertion":
      return element.kind === "lookahead" && !element.negate ? sampleOf(element, chosen) : "";
    case "Quantifier": {
      const times = Math.max(element.min, chosen.has(element) ? 1 : 0);
      return textOf(element.element, chosen).repeat(times);
    }
    default:
      return "";
  }
}

/** A character of a class; of a negated one, a blank or a letter that it leaves. */
function ofClass(element: AST.CharacterClass): string {
  if (element.negate) {
    const test = new RegExp(element.raw);
    return [" ", "a", "1", "-"].find((char) => test.test(char)) ?? "";
  }
  const [first] = element.elements;
  if (first?.type === "Character") return String.fromCodePoint(first.value);
  if (first?.type === "CharacterClassRange") return String.fromCodePoint(first.min.value);
  return first?.type === "CharacterSet" && first.kind === "space" ? " " : "a";
}
