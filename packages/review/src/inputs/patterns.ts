import { leavesOf, withValue, wordsOf } from "@hookwarden/testing/mutate";
import { syntaxOf } from "../program/syntax.ts";
import { type Input, validEvent } from "../run/input.ts";

const max = { patterns: 40, words: 4, bases: 2, inputs: 320 } as const;
const texts = /^(?:command|prompt|content|file_path|tool_response|message|url|query)$/;

/**
 * Events whose text is what a pattern of a program matches, also with its letters in the other case: where two versions
 * have different patterns, these are the texts that only one of them takes.
 *
 * @param samples events to put the texts into.
 * @param reads what the versions declare that they read: the texts are put there.
 */
export function patternInputs(
  samples: readonly Input[],
  sources: readonly string[],
  reads: readonly string[],
): readonly Input[] {
  const words = new Set(sources.flatMap(wordsIn));
  const bases = samples.flatMap((input) => {
    const leaf = leavesOf(input.event, reads).find(
      ({ path, value }) => typeof value === "string" && texts.test(path.at(-1) ?? ""),
    );
    return leaf ? [{ input, path: leaf.path }] : [];
  });
  const found: Input[] = [];
  for (const { input, path } of bases.slice(0, max.bases))
    for (const word of words)
      for (const text of formsOf(word)) {
        const event = validEvent(withValue(input.event, path, text));
        if (event && found.length < max.inputs)
          found.push({ ...input, origin: "made", label: "a text of a pattern", event });
      }
  return found;
}

/** A text of a pattern, the same with something behind it, in the other case, and with other white space. */
function formsOf(word: string): readonly string[] {
  const path = `${word} /srv/data`;
  return [
    ...new Set([
      word,
      `${word}/srv/data`,
      path,
      word.toUpperCase(),
      word.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
      `${word} x`,
      path.replaceAll(" ", "  "),
      path.replaceAll(" ", "\t"),
    ]),
  ];
}

function wordsIn(source: string): readonly string[] {
  const patterns = syntaxOf(source).nodes.flatMap(({ regex }) => {
    const one = regex as { readonly pattern: string; readonly flags: string } | undefined;
    return one ? [one] : [];
  });
  return patterns
    .slice(0, max.patterns)
    .flatMap(({ pattern, flags }) => wordsOf(pattern, flags).slice(0, max.words));
}
