import { leavesOf, withValue } from "@hookwarden/testing/mutate";
import { syntaxOf } from "../program/syntax.ts";
import { type Input, validEvent } from "../run/input.ts";

const max = { texts: 24, cases: 12, inputs: 400 } as const;
const shortest = 4;
const hostName = /(?<=:\/\/)[^/\s"'`]+/;

/**
 * Events of cases with the texts that a program has and its previous version has not: in place of a host or a word, and
 * behind the rest. An exception that came with an update is often such a text. Addresses get a query, too.
 *
 * @param reads what the hook declares that it reads: the texts are put there.
 */
export function newTextInputs(
  cases: readonly Input[],
  { old, now }: { readonly old: string; readonly now: string },
  reads: readonly string[],
): readonly Input[] {
  const known = new Set(literalsOf(old));
  const texts = literalsOf(now).filter((text) => !known.has(text));
  const found: Input[] = [];
  for (const input of cases.slice(0, max.cases))
    for (const { path, value } of leavesOf(input.event, reads))
      for (const made of typeof value === "string"
        ? [...asked(value), ...texts.slice(0, max.texts).flatMap((text) => placed(value, text))]
        : []) {
        const event = found.length < max.inputs ? validEvent(withValue(input.event, path, made)) : null;
        if (event) found.push({ ...input, origin: "made", label: "a text of the update", event });
      }
  return found;
}

/** Addresses with a query, whose punctuation ends commands elsewhere. */
function asked(value: string): readonly string[] {
  const changed = value.replace(/https?:\/\/[^\s"'`|;&?#)]+/, '"$&?a=1&b=2;c=3#d"');
  return changed === value ? [] : [changed];
}

function placed(value: string, text: string): readonly string[] {
  const words = value.split(" ");
  return [
    ...(hostName.test(value) ? [value.replace(hostName, () => text)] : []),
    ...(words.length > 1 ? [[...words.slice(0, -1), text].join(" ")] : []),
    `${value} ${text}`,
    `${value} # ${text}`,
  ];
}

function literalsOf(source: string): readonly string[] {
  const texts = syntaxOf(source).nodes.flatMap(({ type, value }) =>
    type === "Literal" && typeof value === "string" && value.length >= shortest && value.length < 80
      ? [value]
      : [],
  );
  return [...new Set(texts)];
}
