import { acts, opens } from "../run/effect.ts";
import { mapConcurrently, type Run, type Runner } from "../run/runner.ts";
import type { AnswerChange } from "./answer-change.ts";
import { isCommand, neutralWord, type Slot, slotsOf } from "./slots.ts";

const maxCommands = 8;

/**
 * Joins commands of which a hook refuses each, and sees whether it lets them go together. Both are refused beside a
 * command that means nothing too, so that the hook does not just look at one end of a line.
 */
export async function joinCommands(runner: Runner, held: readonly Run[]): Promise<readonly AnswerChange[]> {
  const commands = refusedCommands(runner, held);
  const pairs = commands.flatMap((one) =>
    commands.filter((other) => other !== one).map((other) => [one, other] as const),
  );
  const decide = async ({ base, slot }: Refused, text: string): Promise<Run | null> => {
    const input = slot.set(text);
    return input && runner.run({ ...input, origin: "made", label: `${base.input.label}; two commands` });
  };
  const found = await mapConcurrently(
    pairs,
    async ([one, other]): Promise<readonly AnswerChange[]> => {
      const { base, slot } = one;
      const to = `${one.text}; ${other.text}`;
      const after = await decide(one, to);
      // Less than for each of them: not just what the other one is answered with.
      if (!after?.answer.ok || !opens(base.effect, after.effect) || !opens(other.base.effect, after.effect))
        return [];
      for (const control of [`${one.text}; ${neutralWord}`, `${neutralWord}; ${other.text}`]) {
        const run = await decide(one, control);
        if (!run || !acts(run.effect)) return [];
      }
      const change = { from: one.text, to, before: base, after, opens: true, harmless: true } as const;
      return [{ slot, ...change, word: "text", grade: "magic" }];
    },
    runner.signal,
  );
  return found.flat().slice(0, 4);
}

interface Refused {
  readonly base: Run;
  readonly slot: Slot;
  readonly text: string;
}

/** The shortest commands that a hook refuses, one for each program and reason. */
function refusedCommands(runner: Runner, held: readonly Run[]): readonly Refused[] {
  const all = held.flatMap((base): readonly Refused[] => {
    const slot = slotsOf(base.input, runner.seen).find(({ path }) => isCommand(path));
    const text = typeof slot?.value === "string" ? slot.value.trim() : "";
    return slot && text !== "" && !/[\n#'"\\]/.test(text) && base.input.state === null
      ? [{ base, slot, text }]
      : [];
  });
  const ordered = all.toSorted((a, b) => a.text.length - b.text.length);
  return [
    ...new Map(
      ordered.toReversed().map((one) => [`${one.text.split(" ", 1)[0]} ${one.base.output}`, one]),
    ).values(),
  ]
    .toReversed()
    .slice(0, maxCommands);
}
