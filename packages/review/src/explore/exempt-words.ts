import { acts, opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { slotsOf } from "./slots.ts";

const max = { bases: 2, words: 60, shortest: 5 } as const;
const neutral = "zqxwv";

/**
 * Sets texts to whole texts of the code, and to the same with something more: where only the exact text is let go, and
 * any other text that says nothing is let go too, the hook has an exception for it. A list of what is permitted has none:
 * it holds other texts.
 */
export async function exemptWords(
  runner: Runner,
  bases: readonly Run[],
  words: readonly string[],
): Promise<readonly AnswerChange[]> {
  const found: AnswerChange[] = [];
  for (const base of bases.slice(0, max.bases))
    for (const slot of slotsOf(base.input, runner.seen).filter(({ kind }) => kind === "text")) {
      const placed = async (text: string): Promise<Run | null> => {
        const input = slot.set(text);
        const label = `${base.input.label}; ${slot.path} set to a text of the code`;
        return input && runner.run({ ...input, origin: "made", label });
      };
      const control = await placed(neutral);
      if (!control || acts(control.effect)) continue;
      const tried = words.filter((word) => word.length >= max.shortest).slice(0, max.words);
      const pairs = await mapConcurrently(
        tried,
        async (word) => ({ word, after: await placed(word), before: await placed(`${word} ${neutral}`) }),
        runner.signal,
      );
      for (const { word, after, before } of pairs)
        if (after && before && opens(before.effect, after.effect))
          found.push({
            slot,
            from: `${word} ${neutral}`,
            to: word,
            before,
            after,
            opens: true,
            harmless: true,
            grade: "exempt",
          });
    }
  return found.slice(0, 6);
}
