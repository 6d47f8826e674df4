import type { Input } from "../run/input.ts";
import { acts, opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { besideCommand, harmless, neutralWord, type Slot, touchedSlots } from "./slots.ts";

type WordKind = NonNullable<AnswerChange["word"]>;

/** Characters that people do not see, or take for others. */
const unicode = [
  "\u200b",
  "\u200d",
  "\u2060",
  "\ufeff",
  "\u202e",
  "\u00ad",
  "\u00a0",
  "\u{e0041}",
  "\u0430\u0435\u043e",
  "\uff21",
  "\u2028",
  "\u{1f512}",
  "\u0301",
  "\u202f",
  "\u2009",
  "\u3000",
  "\u200c",
  "\u2066",
  "\ufe0f\ufe0e",
  "\u{e0049}\u{e0067}\u{e006e}",
  "\u{1f468}\u200d\u{1f4bb}",
  // Normalization makes the first shorter and the second longer.
  "e\u0301",
  "\u00e9",
  "\ufb01",
  // Longer in the other case: what is found in one text is at another place in the other.
  "\u0130".repeat(8),
  "\u00df".repeat(8),
] as const;
const invisible = /^[\p{Cf}\p{Zs}\p{Mn}]+$/u;
const sizes = [300, 1_100, 2_100, 4_200, 9_000, 20_000, 70_000] as const;
const prototypes = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"] as const;
/** What parsers of escapes, URLs, quotes and JSON stumble over. */
const breakers = [
  "%",
  "%zz",
  "%E0%A4%A",
  "'",
  '"',
  "\\",
  "\\u{zz}",
  "{",
  "[",
  "(",
  "`",
  "${",
  "<!--",
  "]]>",
  "\u0001",
] as const;
/** Where the ways begin that are no comment, and those that change the command's own words. */
const [firstBeside, firstWithin] = [2, 5];
/** The way with a command in front. */
const inFront = 3;
/** Words of the script that are tried, and slots of one event. */
const max = { words: 72, slots: 4, bases: 3 } as const;

/**
 * Adds words to events that a hook holds, in ways that change nothing about what is done, and sees whether it lets go.
 *
 * @param words of the script and of its comparisons.
 */
export async function addWords(
  runner: Runner,
  held: readonly Run[],
  words: readonly string[],
): Promise<readonly AnswerChange[]> {
  const turns: AnswerChange[] = [];
  for (const base of held.slice(0, max.bases)) {
    const slots = touchedSlots(runner, base);
    const open = slots.filter(
      (slot) =>
        typeof slot.value === "string" &&
        (slot.kind === "text" || slot.kind === "place") &&
        harmless(slot.path, slot.value, neutralWord).length > 0,
    );
    const aside = slots.filter(
      ({ kind, value }) => (kind === "inert" || kind === "id") && typeof value === "string",
    );
    for (const slot of open.slice(0, max.slots)) turns.push(...(await tryWords(runner, base, slot, words)));
    for (const slot of aside.slice(0, max.slots)) turns.push(...(await setWords(runner, base, slot, words)));
    for (const slot of slots.filter(({ kind }) => kind === "text" || kind === "name").slice(0, max.slots))
      turns.push(...(await setPrototypes(runner, base, slot)));
  }
  return turns;
}

async function tryWords(
  runner: Runner,
  base: Run,
  slot: Slot,
  words: readonly string[],
): Promise<readonly AnswerChange[]> {
  const value = String(slot.value);
  const turns: AnswerChange[] = [];
  const waysOf = (word: string): readonly (string | null)[] => [
    ...harmless(slot.path, value, word),
    ...besideCommand(slot.path, value, word),
  ];
  for (const [way, isPossible] of waysOf(neutralWord).entries()) {
    if (isPossible === null) continue;
    const withWord = (word: string): Input | null => {
      const text = waysOf(word)[way];
      return typeof text === "string" ? slot.set(text) : null;
    };
    const control = withWord(neutralWord);
    const controlled = control && (await runner.run(control));
    // Where any word opens, the hook looks at one end of a text only: that says something else.
    const weak = controlled !== null && opens(base.effect, controlled.effect);
    const isBeside = way >= firstBeside;
    // Any word may make another command of the one that it stands in.
    if (weak && way >= firstWithin) continue;
    const tries: readonly (readonly [WordKind, string])[] = weak
      ? [["plain", neutralWord]]
      : [
          ...(way < 2 ? unicode : []).map((word) => ["unicode", word] as const),
          // Padding in front is padding behind, for twice the price.
          ...(way === 0 ? sizes : []).map((size) => ["size", "a".repeat(size)] as const),
          ...(way < 2 ? breakers : []).map((word) => ["text", word] as const),
          // A command that does nothing.
          ...(isBeside ? [["text", ":"] as const] : []),
          ...words
            .slice(0, max.words)
            .map((word) => [invisible.test(word) ? ("unicode" as const) : ("text" as const), word] as const),
        ];
    const all = tries.flatMap(([word, text]) => {
      const input = withWord(text);
      return input ? [{ word, text, input }] : [];
    });
    const found = await answerChanges(runner, base, slot, all);
    turns.push(
      ...found.map((turn) =>
        weak
          ? { ...turn, grade: way === 0 ? ("end" as const) : ("start" as const) }
          : {
              ...turn,
              ...(isBeside && { beside: way === inFront ? ("front" as const) : ("any" as const) }),
            },
      ),
    );
  }
  return turns;
}

/** A field aside is set to a word as a whole. */
async function setWords(
  runner: Runner,
  base: Run,
  slot: Slot,
  words: readonly string[],
): Promise<readonly AnswerChange[]> {
  const all = words.slice(0, max.words).flatMap((text) => {
    const input = slot.set(text);
    return input ? [{ word: "text" as const, text, input }] : [];
  });
  return answerChanges(runner, base, slot, all);
}

/** Only what is opened by a name of `Object.prototype`, and held under any other unknown name, whole or its last part. */
async function setPrototypes(runner: Runner, base: Run, slot: Slot): Promise<readonly AnswerChange[]> {
  const [, front = `${slot.value}__${neutralWord}__`] =
    /^(.+(?:__|[./:]))\w+$/.exec(String(slot.value)) ?? [];
  const turns: AnswerChange[] = [];
  for (const before of slot.kind === "name" ? ["", front] : [""]) {
    const control = slot.set(before + neutralWord);
    const controlled = control && (await runner.run(control));
    if (!controlled || !acts(controlled.effect)) continue;
    const all = prototypes.flatMap((text) => {
      const input = slot.set(before + text);
      return input ? [{ word: "prototype" as const, text, input }] : [];
    });
    turns.push(...(await answerChanges(runner, controlled, slot, all)));
  }
  return turns;
}

async function answerChanges(
  runner: Runner,
  base: Run,
  slot: Slot,
  all: readonly { readonly word: WordKind; readonly text: string; readonly input: Input }[],
): Promise<readonly AnswerChange[]> {
  const runs = await mapConcurrently(all, ({ input }) => runner.run(input), runner.signal);
  return runs.flatMap((after, index): AnswerChange[] => {
    const { word, text, input } = all[index] as (typeof all)[number];
    if (!after || !opens(base.effect, after.effect)) return [];
    const named = {
      ...after,
      input: {
        ...input,
        origin: "made" as const,
        label: `${base.input.label}; a word added to ${slot.path}`,
      },
    };
    return [
      {
        slot,
        from: String(slot.value),
        to: text,
        before: base,
        after: named,
        opens: true,
        harmless: true,
        word,
      },
    ];
  });
}
