import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** How the parts of a pattern that leave a choice are filled. */
export interface Filling {
  /** Text for a part that may be empty and takes almost any character. */
  readonly gap: string;
  /** Picks one of so many; without it the first is taken, and nothing is repeated more often than it must be. */
  readonly pick?: (count: number) => number;
}

const shortest: Filling = { gap: "" };

/**
 * Texts for a pattern: one for each alternative of each group, with as little around it as may be. The alternatives of
 * a negative lookahead give near misses.
 */
export function samplesOf(pattern: RegExp, filling: Filling = shortest): readonly string[] {
  const ast = new RegExpParser().parsePattern(pattern.source, 0, pattern.source.length, {
    unicode: pattern.unicode,
  });
  return [
    ...new Set(
      alternativesIn(ast).map((alternative) => sampleOf(ast, { chosen: chosenFor(alternative), filling })),
    ),
  ];
}

interface Sampling {
  /** An alternative, and all that it is inside of. */
  readonly chosen: ReadonlySet<AST.Node>;
  readonly filling: Filling;
}

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

function chosenFor(alternative: AST.Alternative): ReadonlySet<AST.Node> {
  const chosen = new Set<AST.Node>();
  for (let node: AST.Node | null = alternative; node !== null; node = node.parent) chosen.add(node);
  return chosen;
}

function sampleOf(node: { readonly alternatives: readonly AST.Alternative[] }, sampling: Sampling): string {
  const { pick } = sampling.filling;
  const alternative =
    node.alternatives.find((one) => sampling.chosen.has(one)) ??
    node.alternatives[pick?.(node.alternatives.length) ?? 0];
  return (alternative?.elements ?? []).map((element) => textOf(element, sampling)).join("");
}

function textOf(element: AST.Element, sampling: Sampling): string {
  const { chosen, filling } = sampling;
  switch (element.type) {
    case "Character":
      return String.fromCodePoint(element.value);
    case "CharacterSet":
      if ("negate" in element && element.negate) return element.kind === "space" ? "a" : "-";
      return element.kind === "space"
        ? " "
        : element.kind === "digit"
          ? String(filling.pick?.(10) ?? 1)
          : "a";
    case "CharacterClass":
      return ofClass(element, filling);
    case "Group":
    case "CapturingGroup":
      return sampleOf(element, sampling);
    case "Assertion": {
      const looks = element.kind === "lookahead" || element.kind === "lookbehind";
      return looks && element.negate === chosen.has(element) ? sampleOf(element, sampling) : "";
    }
    case "Quantifier":
      return repeated(element, sampling);
    default:
      return "";
  }
}

function repeated(element: AST.Quantifier, sampling: Sampling): string {
  const { chosen, filling } = sampling;
  const inner = element.element;
  const isGap = inner.type === "CharacterClass" && inner.negate && element.min === 0;
  if (isGap && !chosen.has(element)) return filling.gap;
  const least = Math.max(element.min, chosen.has(element) ? 1 : 0);
  const more = filling.pick === undefined || inner.type === "Group" ? 0 : Math.min(element.max - least, 8);
  return Array.from({ length: least + more }, () => textOf(inner, sampling)).join("");
}

/** A character of a class; of a negated one, a blank or a letter that it leaves. */
function ofClass(element: AST.CharacterClass, { pick }: Filling): string {
  if (element.negate) {
    const test = new RegExp(element.raw);
    return [" ", "a", "1", "-"].find((char) => test.test(char)) ?? "";
  }
  const choices = element.elements.flatMap((part): readonly string[] => {
    if (part.type === "Character") return [String.fromCodePoint(part.value)];
    if (part.type === "CharacterClassRange") {
      const { min, max } = { min: part.min.value, max: Math.min(part.max.value, part.min.value + 63) };
      return Array.from({ length: max - min + 1 }, (_, at) => String.fromCodePoint(min + at));
    }
    if (part.type !== "CharacterSet") return ["a"];
    return part.kind === "space" ? [" "] : part.kind === "digit" ? [..."1234567890"] : ["a"];
  });
  return choices[pick?.(choices.length) ?? 0] ?? "a";
}
